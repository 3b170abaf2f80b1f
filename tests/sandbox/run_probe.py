"""The probe finds no way out of the sandbox, as root and as an ordinary user, and each way leads out without it.

run_probe.py ENCLOSED [HELVE]: builds a world with things outside that must not be reached, tries every way without the sandbox
to see that it can succeed, then inside, and looks afterwards whether anything outside has changed. ENCLOSED is the program
beside this one; with HELVE `helve sandbox` is tried, too.
"""

import ctypes
import hashlib
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
PYTHON = "/usr/bin/python3"  # the one that every user may run
OTHER_GROUP = 54321
PROBE = (PYTHON, "probe.py", "world.json")
WRITTEN_BY_NOBODY = [f"node_modules/helve/{name}" for name in ("helve", "helve-spawn", "helve-media")] + [
    "home/.gitconfig"]
FILE_BYTES = 64 << 30  # more than any limit here
SHM = ctypes.CDLL(None, use_errno=True)

# Keeps the secret in its environment, its memory and a shared memory segment; says where.
HOLDER = """
import ctypes, json, os, signal, sys
libc = ctypes.CDLL(None)
secret = os.environ["SECRET"].encode()
buffer = ctypes.create_string_buffer(secret)
segment = libc.shmget(int(sys.argv[1]), 4096, 0o1666)
libc.shmat.restype = ctypes.c_void_p
ctypes.memmove(libc.shmat(segment, None, 0), secret, len(secret))
print(json.dumps({"address_of_secret": ctypes.addressof(buffer), "descriptor": os.dup(0)}), flush=True)
signal.pause()
libc.shmctl(segment, 0, None)
"""
# Puts a key into the session keyring, which children inherit, and runs the rest.
KEEPER_OF_KEY = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.syscall(250, 1, None)
libc.syscall(248, b"user", sys.argv[1].encode(), os.environ["SECRET"].encode(), len(os.environ["SECRET"]), -3)
os.execv(sys.argv[2], sys.argv[2:])
"""
# Starts processes until no more can be had, says so, lets the given number of them take all of the processor that they get, and
# goes on trying until its input ends.
BOMB = """
import ctypes, os, select, signal, sys
libc, count, told, spinning = ctypes.CDLL(None), 0, False, int(sys.argv[1])
waiting, go = os.pipe()
while count < 5000 and not select.select([0], [], [], 0)[0]:
    try:
        if os.fork() == 0:
            libc.prctl(1, signal.SIGKILL)
            os.close(go)
            while count < spinning and os.read(waiting, 1) == b"":
                while True:
                    pass
            signal.pause()
        count += 1
    except OSError:
        if not told:
            told = True
            print("full", flush=True)
            os.close(go)
os._exit(0)
"""
# Makes a bare repository of the workspace, for whoever uses git there afterwards.
LEAD_GIT = """
mv .git/HEAD .git/HEAD.off; mkdir objects refs; echo 'ref: refs/heads/main' > HEAD
printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "touch %s; false"\\n' "$1" > config
"""
# Each in a sandbox of its own, with the directory as $1: the next one must know what the one before closed.
CLOSE_AND_OPEN = ('chmod 0 "$1"',
                  'chmod 700 "$1" && cat "$1/key"; mv "$1" "$1-moved" && mkdir "$1"',
                  'cat "$1/key" "$1-moved/key"')


def place():
    """A directory that is neither in /tmp nor in another place that the sandbox replaces."""
    for parent in ("/srv", "/opt", str(pathlib.Path.home())):
        if os.access(parent, os.W_OK):
            return pathlib.Path(tempfile.mkdtemp(prefix="helve-probe-", dir=parent))
    sys.exit("no directory outside /tmp can be written")


class World:
    def __init__(self, user):
        self.user = pwd.getpwnam(user)
        self.base = place()
        self.secret = "canary-" + secrets.token_hex(8)
        self.extra = []  # what lies elsewhere and must be removed
        self.heard = []
        self.sockets = []
        self.build_files()
        self.build_git()
        self.build_servers()
        self.facts["process_name"] = "probe-" + secrets.token_hex(4)
        self.hold()
        (self.work / "probe.py").write_bytes((HERE / "probe.py").read_bytes())
        (self.work / "world.json").write_text(json.dumps(self.facts))
        self.own(self.base)
        if self.other_group() is not None:
            os.chown(self.closable[1], -1, self.other_group())
        self.add_set_id_program()
        self.mount_proc_elsewhere()

    def own(self, top):
        for path in [top, *top.rglob("*")]:
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        top.chmod(0o755)

    def other_group(self):
        """One of the user besides its own, which a user namespace does not know."""
        if os.geteuid() == 0:
            return OTHER_GROUP
        return next((group for group in os.getgroups() if group != self.user.pw_gid), None)

    def build_files(self):
        base = self.base
        self.work, self.outside, self.home = base / "work", base / "outside", base / "home"
        self.state = self.home / ".local/state/helve"
        files = {self.outside / name: "victim" for name in ("linked", "taken", "truncated", "mode", "doomed")}
        for path in (self.home / ".ssh/id_ed25519", self.home / ".aws/credentials", self.state / "secret",
                     base / "elsewhere/token"):
            files[path] = self.secret
        files[self.home / ".config/helve/config.yaml"] = "color: never\n"
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.work.mkdir()
        (self.outside / "input").write_text("input")
        os.mkfifo(self.outside / "pipe")
        self.pipe = os.open(self.outside / "pipe", os.O_RDWR | os.O_NONBLOCK)
        (self.home / ".gnupg").symlink_to(base / "elsewhere")
        self.lead_into_root()
        self.facts = {
            "secret": self.secret, "work": str(self.work), "outside": str(self.outside), "home": str(self.home),
            "state": str(self.state), "moved_secret": str(base / "elsewhere/token"), "file_bytes": FILE_BYTES,
            "in_tmp": self.canary("/tmp"), "in_shm": self.canary("/dev/shm"), "in_run": self.canary("/run"),
        }
        disk = os.stat("/").st_dev
        self.facts["disk_number"] = [os.major(disk), os.minor(disk)]
        self.facts["disk"] = next((str(p) for p in pathlib.Path("/dev").iterdir()
                                   if p.is_block_device() and os.stat(p).st_rdev == disk), None)
        cgroups = [pathlib.Path("/sys/fs/cgroup/pids"), pathlib.Path("/sys/fs/cgroup/unified"),
                   pathlib.Path("/sys/fs/cgroup")]
        self.facts["cgroup"] = next((str(p) for p in cgroups if (p / "cgroup.procs").exists()), None)

    def lead_into_root(self):
        """Secrets deep in the workspace, where links of home lead, as from a repository of dotfiles."""
        self.closable = [self.work / "a/b/private", self.work / "a/b/shared"]
        for directory, link in zip(self.closable, (".netrc", ".pgpass")):
            directory.mkdir(parents=True)
            (directory / "key").write_text(self.secret)
            (self.home / link).symlink_to(directory / "key")

    def mount_proc_elsewhere(self):
        """As somebody does for a chroot."""
        point = self.base / "chroot-proc"
        point.mkdir()
        mounted = subprocess.run(["mount", "-t", "proc", "proc", str(point)], capture_output=True).returncode == 0
        self.set_fact("other_proc", str(point) if mounted else None)

    def canary(self, directory):
        if not os.access(directory, os.W_OK):
            return os.path.join(directory, "nothing")
        file, path = tempfile.mkstemp(prefix="helve-probe-", dir=directory)
        os.write(file, self.secret.encode())
        os.fchmod(file, 0o644)
        os.close(file)
        self.extra.append(path)
        return path

    def git(self, *arguments, where=None):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.base), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always",
                        *arguments], cwd=where or self.work, env=environment, check=True, capture_output=True)

    def build_git(self):
        library = self.base / "library"
        library.mkdir()
        for directory in (library, self.work):
            self.git("init", "-q", where=directory)
            self.git("commit", "-q", "--allow-empty", "-m", "first", where=directory)
        self.git("submodule", "add", "-q", str(library), "libs/sub")
        (self.work / ".git/modules/libs/sub/hooks").mkdir(exist_ok=True)
        for name in ("libs/own", "group/nested"):
            self.git("clone", "-q", str(library), name)
        self.git("submodule", "add", "-q", str(library), "libs/own")
        self.git("init", "-q", "--separate-git-dir", ".apart", "apart")
        self.git("init", "-q", "--bare", ".bare")
        self.git("worktree", "add", "-q", ".worktrees/feature")
        (self.work / "tools").mkdir()
        (self.work / "tools/gitconfig").touch()
        self.git("config", "include.path", "../tools/gitconfig")
        # As npm installs it, and where git is told to look.
        for name in ("node_modules/helve/helve-spawn", "node_modules/helve/helve", "home/.profile"):
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text("program")

    def listen(self, family, address, kind=socket.SOCK_STREAM):
        server = socket.socket(family, kind)
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen()
        self.sockets.append(server)
        threading.Thread(target=self.serve, args=(server, kind), daemon=True).start()
        return server

    def serve(self, server, kind):
        try:
            while True:
                if kind == socket.SOCK_STREAM:
                    connection = server.accept()[0]
                    self.heard.append(str(server.getsockname()))
                    with connection:
                        connection.sendall(self.secret.encode())
                        connection.recv(100)
                else:
                    sender = server.recvfrom(100)[1]
                    self.heard.append(str(server.getsockname()))
                    server.sendto(self.secret.encode(), sender)
        except OSError:
            pass

    def build_servers(self):
        facts = self.facts
        facts["tcp"] = self.listen(socket.AF_INET, ("0.0.0.0", 0)).getsockname()[1]
        facts["udp"] = self.listen(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM).getsockname()[1]
        try:
            facts["tcp6"] = self.listen(socket.AF_INET6, ("::1", 0)).getsockname()[1]
        except OSError:
            facts["tcp6"] = None
        facts["abstract"] = "helve-probe-" + secrets.token_hex(8)
        self.listen(socket.AF_UNIX, "\0" + facts["abstract"])
        facts["unix_in_tmp"] = f"/tmp/helve-probe-{secrets.token_hex(8)}"
        self.extra.append(facts["unix_in_tmp"])
        for path in (str(self.outside / "socket"), str(self.work / "socket"), facts["unix_in_tmp"]):
            self.listen(socket.AF_UNIX, path)
            os.chmod(path, 0o777)
        names = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
        facts["interfaces"] = [name for name in names if name != "lo"]
        facts["address"] = self.own_address()

    @staticmethod
    def own_address():
        """An address of this machine that is not loopback; nothing is sent."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                return probe.getsockname()[0]
            except OSError:
                return None

    def become(self):
        os.setgroups([])
        os.setgid(self.user.pw_gid)
        os.setuid(self.user.pw_uid)

    def environment(self):
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "SECRET": self.secret,
                "GIT_CONFIG_GLOBAL": str(self.work / "home/.gitconfig")}

    def install(self, program):
        """A copy of helve in the workspace, as npm makes one."""
        for name in ("helve", "helve-spawn"):
            shutil.copy(pathlib.Path(program).with_name(name), self.work / "node_modules/helve")
        self.own(self.work / "node_modules")
        return str(self.work / "node_modules/helve/helve")

    def hold(self):
        self.facts["shm_key"] = secrets.randbelow(1 << 30) + 1
        self.facts["key"] = "helve-" + secrets.token_hex(8)
        self.holder = subprocess.Popen(
            [PYTHON, "-c", HOLDER, str(self.facts["shm_key"]), self.facts["process_name"]], env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=self.become if os.geteuid() == 0 else None)
        self.facts.update(json.loads(self.holder.stdout.readline()), pid=self.holder.pid)

    def add_set_id_program(self):
        program = self.base / "id"
        shutil.copy("/usr/bin/id", program)
        program.chmod(0o4755)
        self.set_fact("set_id_program", str(program))

    def set_fact(self, name, value):
        self.facts[name] = value
        (self.work / "world.json").write_text(json.dumps(self.facts))

    def run(self, command):
        key = [PYTHON, "-c", KEEPER_OF_KEY, self.facts["key"], *command]
        with open(self.outside / "input") as given:
            return subprocess.run(key, cwd=self.work, env=self.environment(), stdin=given, capture_output=True,
                                  text=True, timeout=900)

    def start(self, command):
        return subprocess.Popen(command, cwd=self.work, env=self.environment(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)

    def as_user(self):
        if os.geteuid() == self.user.pw_uid:
            return []
        return ["/usr/bin/setpriv", "--reuid", str(self.user.pw_uid), "--regid", str(self.user.pw_gid),
                "--groups", str(OTHER_GROUP)]

    def control(self, _program=None, _options=(), command=(*PROBE, "--control")):
        return self.run([*self.as_user(), *command])

    def helve(self, program, options=(), command=PROBE, run=None):
        return (run or self.run)([*self.as_user(), program, "sandbox", *options, "--", *command])

    def enclosed(self, program, options=(), command=PROBE, run=None):
        arguments = ["--root", self.work, "--home", self.home, "--hide", self.state,
                     "--protect", self.home / ".config/helve", *options]
        for name in WRITTEN_BY_NOBODY:
            arguments += ["--protect-file", self.work / name]
        if os.geteuid() != self.user.pw_uid:
            arguments += ["--user", self.user.pw_name, "--group", OTHER_GROUP]
        return (run or self.run)([program, *map(str, arguments), "--", *command])

    def tells_what_was_closed(self, way, program, options, directory):
        """Whether a secret gets out when a command closes a directory that leads to it, and the next ones open it."""
        done = [way(self, program, options, ("/bin/sh", "-c", command, "sh", str(directory))) for command in CLOSE_AND_OPEN]
        for each in (directory, directory.with_name(directory.name + "-moved")):
            if each.exists():
                each.chmod(0o700)
        return any(self.secret in each.stdout for each in done)

    def git_runs_what_was_left(self, way, program):
        """Whether git, used after a command, runs what the command wants."""
        ran = self.outside / "ran"
        way(self, program, (), ("/bin/sh", "-c", LEAD_GIT, "sh", str(ran)))
        self.run([*self.as_user(), "/usr/bin/env", "git", "status"])
        return ran.exists()

    def spinning(self):
        """How many processes of a bomb take processor time: as many as hurt, where a control group keeps them from others."""
        group = any(os.access(pathlib.Path("/sys/fs/cgroup") / name, os.W_OK)
                    for name in ("cpu/cgroup.procs", "cpu,cpuacct/cgroup.procs"))
        return 300 if self.user.pw_uid == 0 and group else 8

    def others_work_beside_a_bomb(self, way, program):
        """Whether programs of the same user and of this one start and end well while a command has all processes that it gets."""
        beside = [[*user, "/bin/sh", "-c", "seq 1000 | sort -n | tail -n 1"] for user in (self.as_user(), [])]
        with way(self, program, (), (PYTHON, "-c", BOMB, str(self.spinning())), self.start) as bomb:
            try:
                return bomb.stdout.readline() == "full\n" and bomb.poll() is None and all(
                    (done.returncode, done.stdout) == (0, "1000\n")
                    for done in (subprocess.run(each, env=self.environment(), capture_output=True, text=True, timeout=900)
                                 for each in beside * 8))
            finally:
                bomb.stdin.close()

    def outside_state(self):
        """Everything that a command must leave alone, as it looks from outside."""
        state = {}
        tops = [self.outside, self.home / ".ssh", self.home / ".aws", self.home / ".config", self.base / "elsewhere",
                self.state / "secret", self.work / ".git/hooks",
                self.work / ".git/config", self.work / ".git/info", self.work / ".git/modules/libs/sub/hooks",
                self.work / ".git/modules/libs/sub/config", self.work / "libs/sub/.git", self.work / ".helve",
                self.work / "libs/own/.git/config", self.work / "group/nested/.git/hooks", self.work / "apart/.git",
                self.work / ".apart/config", self.work / ".bare/hooks", self.work / ".worktrees/feature/.git",
                self.work / "tools/gitconfig", self.work / ".git/modules/libs/later",
                *(self.work / name for name in WRITTEN_BY_NOBODY)]
        for top in tops:
            for path in [top, *sorted(top.rglob("*"))]:
                if not os.path.lexists(path):
                    state[str(path)] = "absent"
                    continue
                status = path.lstat()
                content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                state[str(path)] = (oct(status.st_mode), status.st_ino, int(status.st_mtime), content)
        return state

    def piped(self):
        try:
            return [os.read(self.pipe, 100)]
        except BlockingIOError:
            return []

    def set_id_files(self):
        # What the sandbox reserved may go away meanwhile, which os.walk does not mind.
        paths = [os.path.join(top, name) for top, _, names in os.walk(self.work) for name in names]
        modes = {path: os.lstat(path).st_mode for path in paths if os.path.lexists(path)}
        return [path for path, mode in modes.items() if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID)]

    def close(self):
        self.holder.send_signal(signal.SIGKILL)
        self.holder.wait()
        self.holder.stdout.close()
        SHM.shmctl(SHM.shmget(self.facts["shm_key"], 0, 0), 0, None)
        if self.facts["other_proc"]:
            subprocess.run(["umount", self.facts["other_proc"]], check=True)
        os.close(self.pipe)
        for server in self.sockets:
            server.close()
        for path in self.extra:
            if os.path.lexists(path):
                os.unlink(path)
        shutil.rmtree(self.base)


def words(result):
    return dict(reversed(line.split(" ", 1)) for line in result.stdout.splitlines())


def check_control(user):
    """Problems with the probe itself: ways that do not lead out although nothing is in the way."""
    world = World(user)
    try:
        result = world.control()
        found = words(result)
        available = [name for name, word in found.items() if word == "ESCAPED"]
        print(f"{user}: {len(available)} ways lead out without a sandbox")
        problems = [f"{user}, without a sandbox: {word} {name}" for name, word in found.items()
                    if word not in ("ESCAPED", "UNAVAILABLE")]
        if len(available) < 40:
            problems.append(f"{user}: only {len(available)} ways could be tried\n{result.stderr}")
        if not world.git_runs_what_was_left(World.control, None):
            problems.append(f"{user}, without a sandbox: git does not run what a command left")
        problems += [f"{user}, without a sandbox: {directory} does not tell its secret" for directory in world.closable
                     if not world.tells_what_was_closed(World.control, None, (), directory)]
        return problems
    finally:
        world.close()


# With the network, these lead out, and nothing else: a socket in the workspace may be a command's own.
BY_NETWORK = {"network-tcp", "network-tcp-of-the-machine", "network-tcp-6", "network-udp", "network-interfaces",
              "network-unix-in-root"}


def check(user, way, program, options, allowed=frozenset()):
    world = World(user)
    try:
        if way is World.helve:
            program = world.install(program)
        before = world.outside_state()
        result = way(world, program, options)
        found = words(result)
        print(f"{user} {os.path.basename(program)} {' '.join(options)}: {sum(word == 'BLOCKED' for word in found.values())} ways are blocked")
        problems = [f"{user} {' '.join(options)}: {word} {name}" for name, word in found.items()
                    if word != "BLOCKED" and name not in allowed]
        if result.returncode not in (0, 1) or (result.returncode == 1 and not problems and not allowed):
            problems.append(f"{user}: ended with {result.returncode}\n{result.stdout}{result.stderr}")
        if len(found) < 40:
            problems.append(f"{user}: only {len(found)} ways were tried\n{result.stderr}")
        after = world.outside_state()
        problems += [f"{user}: changed outside: {path}: {before.get(path)} became {after.get(path)}"
                     for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
        if not allowed:
            problems += [f"{user}: heard at {address}" for address in world.heard]
        problems += [f"{user}: written to the pipe: {text}" for text in world.piped()]
        problems += [f"{user}: runs as its owner: {path}" for path in world.set_id_files()]
        if world.git_runs_what_was_left(way, program):
            problems.append(f"{user}: git runs what a command left")
        if not options and not world.others_work_beside_a_bomb(way, program):
            problems.append(f"{user}: others cannot work beside a fork bomb")
        problems += [f"{user} {' '.join(options)}: {directory} tells its secret" for directory in world.closable
                     if world.tells_what_was_closed(way, program, options, directory)]
        return problems
    finally:
        world.close()


def main():
    program, *helve = map(os.path.abspath, sys.argv[1:])
    users = ["root", "nobody"] if os.geteuid() == 0 else [pwd.getpwuid(os.geteuid()).pw_name]
    problems = []
    for user in users:
        problems += check_control(user)
        problems += check(user, World.enclosed, program, [])
        problems += check(user, World.enclosed, program, ["--level", "read_only"])
        problems += check(user, World.enclosed, program, ["--network"], BY_NETWORK)
        problems += check(user, World.enclosed, program, ["--bubblewrap"])
        for name in helve:
            problems += check(user, World.helve, name, [])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
