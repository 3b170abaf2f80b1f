// The table of programs. A program that is not in it may do anything.
#include "shell/programs.h"

#include <algorithm>
#include <array>

namespace helve::shell {
namespace {

using std::string_view;

// Whatever their words are, they only read; builtins that change the shell alone are among them.
constexpr auto kReaders = std::to_array<string_view>({
    ":",         "[",         "arch",     "b2sum",   "base32",   "base64",    "basename",
    "basenc",    "break",     "cal",      "cat",     "cd",       "cksum",     "cmp",
    "column",    "comm",      "continue", "cut",     "declare",  "df",        "dir",
    "dirname",   "dirs",      "du",       "echo",    "egrep",    "exit",      "expand",
    "export",    "expr",      "factor",   "false",   "fgrep",    "fmt",       "fold",
    "free",      "getconf",   "getopts",  "grep",    "groups",   "head",      "hexdump",
    "hostid",    "id",        "join",     "jq",      "local",    "locale",    "logname",
    "ls",        "lsblk",     "lscpu",    "md5sum",  "nl",       "nproc",     "numfmt",
    "od",        "paste",     "pgrep",    "popd",    "printenv", "printf",    "ps",
    "pstree",    "pushd",     "pwd",      "read",    "readlink", "readonly",  "realpath",
    "return",    "rev",       "seq",      "set",     "sha1sum",  "sha224sum", "sha256sum",
    "sha384sum", "sha512sum", "shift",    "sleep",   "stat",     "strings",   "sum",
    "tac",       "tail",      "test",     "times",   "tr",       "trap",      "true",
    "tsort",     "tty",       "type",     "typeset", "ulimit",   "umask",     "uname",
    "unexpand",  "unset",     "uptime",   "users",   "vdir",     "vmstat",    "w",
    "wait",      "wc",        "whereis",  "which",   "who",      "whoami",    "zipinfo",
});

// Whatever their words are, they change files and do nothing else.
constexpr auto kWriters = std::to_array<string_view>({
    "chgrp", "chmod", "chown",  "cp",     "dd",    "fallocate", "link",
    "ln",    "mkdir", "mkfifo", "mktemp", "mv",    "nohup",     "rm",
    "rmdir", "shred", "sync",   "tee",    "touch", "truncate",  "unlink",
});

constexpr auto kNetwork = std::to_array<string_view>({
    "dig",
    "host",
    "ping",
    "traceroute",
    "whois",
});

constexpr string_view kCurlLongs =
    "url= silent show-error location fail fail-with-body include head verbose insecure get "
    "request= "
    "header= data= data-raw= data-binary= data-urlencode= json= form= form-string= user= "
    "user-agent= referer= cookie= max-time= connect-timeout= retry= retry-delay= retry-max-time= "
    "retry-all-errors compressed http1.1 http2 ipv4 ipv6 proxy= noproxy= cacert= range= "
    "limit-rate= "
    "upload-file= resolve= no-buffer progress-bar max-redirs= tlsv1.2 path-as-is globoff";
constexpr string_view kCurlWriting =
    "output= output-dir= create-dirs remote-name remote-name-all remote-header-name cookie-jar= "
    "dump-header= write-out=";
constexpr string_view kWgetLongs =
    "quiet no-verbose verbose output-document= directory-prefix= continue no-check-certificate "
    "timeout= tries= user-agent= header= spider recursive level= no-parent show-progress mirror "
    "page-requisites convert-links timestamping no-clobber method= post-data= max-redirect=";
constexpr string_view kRgLongs =
    "after-context= before-context= context= regexp= file= glob= iglob= type= type-not= max-count= "
    "max-columns= max-columns-preview threads= max-depth= maxdepth= replace= encoding= engine= "
    "text "
    "count count-matches fixed-strings help with-filename no-filename ignore-case smart-case "
    "case-sensitive files files-with-matches files-without-match line-number no-line-number "
    "only-matching pretty pcre2 no-pcre2 quiet unrestricted multiline multiline-dotall "
    "invert-match "
    "word-regexp line-regexp null null-data hidden no-hidden no-ignore no-ignore-vcs "
    "no-ignore-parent no-ignore-dot no-ignore-global no-ignore-files follow column no-column "
    "heading "
    "no-heading json sort= sortr= stats trim no-messages passthru color= colors= type-list "
    "type-add= "
    "vimgrep debug no-config crlf byte-offset one-file-system block-buffered line-buffered "
    "path-separator= ignore-file= context-separator= max-filesize= include-zero version";
constexpr string_view kFindNames =
    "maxdepth= mindepth= name= iname= path= ipath= wholename= iwholename= regex= iregex= "
    "regextype= "
    "type= xtype= size= mtime= ctime= atime= mmin= cmin= amin= newer= anewer= cnewer= newermt= "
    "newerct= newerat= user= group= uid= gid= perm= links= inum= samefile= fstype= lname= ilname= "
    "empty readable writable executable true false nouser nogroup print print0 printf= ls prune "
    "quit "
    "not and or a o depth d xdev mount follow daystart noleaf nowarn warn help version L H P";
constexpr string_view kSedLongs =
    "quiet silent regexp-extended separate unbuffered null-data expression= debug sandbox";

// The words of a command that find runs are judged as that command.
size_t suspect_in_find(std::span<const Word> words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].literal() && (words[i].text.starts_with("-execdir") || words[i].text == "-ok" ||
                               words[i].text == "-okdir"))
      return i;
  }
  return Segment::kNone;
}

size_t suspect_in_date(std::span<const Word> words) {
  for (size_t i = 1; i < words.size(); ++i) {
    // An operand without + would set the clock.
    const string_view start = words[i].literal() ? words[i].text : words[i].head;
    if (start.starts_with('+') || start.starts_with('-')) continue;
    const bool value = i > 1 && (words[i - 1].text == "-d" || words[i - 1].text == "--date" ||
                                 words[i - 1].text == "-r" || words[i - 1].text == "-f" ||
                                 words[i - 1].text == "--reference");
    if (!value) return i;
  }
  return Segment::kNone;
}

// Letters without a dash are options, and a colon in a name is another machine.
size_t suspect_in_tar(std::span<const Word> words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (!words[i].literal() || words[i].text.find(':') != std::string::npos) return i;
  }
  const bool bundled = words.size() > 1 && !words[1].text.starts_with('-');
  return bundled && words[1].text.find_first_not_of("xctvzjJakpmhOf") != std::string::npos
             ? 1
             : Segment::kNone;
}

constexpr auto kPrograms = std::to_array<Program>({
    {.name = "sort",
     .options = {.flags = "bdfghiMnRruVzcCms",
                 .valued = "ktS",
                 .longs =
                     "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
                     "ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort "
                     "reverse version-sort check? merge stable unique zero-terminated key= "
                     "field-separator= buffer-size= parallel= sort= debug"},
     .writing = {.valued = "o", .longs = "output="}},
    {.name = "uniq",
     .options = {.flags = "cdDiuz",
                 .valued = "fsw",
                 .longs =
                     "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= "
                     "unique zero-terminated check-chars="},
     .operands = 1},
    {.name = "shuf",
     .options = {.flags = "eirz", .valued = "n", .longs = "echo input-range= head-count= repeat"},
     .writing = {.valued = "o", .longs = "output="}},
    {.name = "xxd",
     .options = {.longs = "a b e i p ps u c= g= l= o= s=", .single = true},
     .operands = 1},
    {.name = "tree",
     .options = {.flags = "adflxipqNugshDFvtUrnACSJX",
                 .valued = "LPI",
                 .longs = "noreport dirsfirst prune matchdirs gitignore inodes device sort? du "
                          "filelimit= charset= timefmt= si"},
     .writing = {.valued = "o"}},
    {.name = "file",
     .options = {.flags = "bihklLNprs0",
                 .valued = "Fm",
                 .longs = "brief mime mime-type mime-encoding extension dereference no-dereference "
                          "separator= print0 raw"}},
    {.name = "diff",
     .options = {.flags = "qsuceynptTrNiEZbwBa",
                 .valued = "UCWIFLx",
                 .longs =
                     "brief report-identical-files unified? context? side-by-side width= recursive "
                     "new-file ignore-case ignore-all-space ignore-space-change ignore-blank-lines "
                     "text color? label= exclude= suppress-common-lines strip-trailing-cr minimal",
                 .numbers = true}},
    {.name = "date",
     .options = {.flags = "uR",
                 .valued = "dfr",
                 .optional = "I",
                 .longs = "utc universal date= reference= iso-8601? rfc-3339= rfc-email"},
     .suspect = suspect_in_date},
    {.name = "hostname", .options = {.flags = "sfdiIA"}, .operands = 0},
    {.name = "env", .options = {.flags = "0", .longs = "null"}, .operands = 0},
    {.name = "command", .options = {.flags = "vV"}},
    {.name = "exec", .operands = 0},
    {.name = "xargs", .options = {.flags = "0rtx", .valued = "dnLPs"}, .operands = 0},
    {.name = "hash", .operands = 0},
    {.name = "history", .operands = 0},
    {.name = "jobs", .options = {.flags = "lnprs"}},
    {.name = "mapfile", .options = {.flags = "t", .valued = "dnOsu"}},
    {.name = "readarray", .options = {.flags = "t", .valued = "dnOsu"}},
    {.name = "zcat", .options = {.flags = "fqv"}},
    {.name = "rg",
     .options = {.flags = "acFhHiIlLnNopPqsSuUvVwx0.",
                 .valued = "ABCefgtTmMjdrE",
                 .longs = kRgLongs}},
    {.name = "fd",
     .options = {.flags = "HIugisaplF0L1q",
                 .valued = "dteESocj",
                 .longs =
                     "hidden no-ignore unrestricted glob regex ignore-case case-sensitive "
                     "absolute-path list-details follow full-path print0 max-depth= min-depth= "
                     "type= extension= exclude= size= color= max-results= changed-within= "
                     "changed-before= quiet"}},
    {.name = "find",
     .options = {.longs = kFindNames, .single = true},
     .writing = {.longs = "delete fprint= fprint0= fls=", .single = true},
     .suspect = suspect_in_find},
    {.name = "sed",
     .options = {.flags = "nErsuz", .valued = "e", .longs = kSedLongs},
     .writing = {.flags = "nErsuz", .optional = "i", .longs = "in-place?"},
     .suspect = suspect_in_sed},
    {.name = "awk", .options = {.valued = "Fv"}, .suspect = suspect_in_awk},
    {.name = "gawk", .options = {.valued = "Fv"}, .suspect = suspect_in_awk},
    {.name = "mawk", .options = {.valued = "Fv"}, .suspect = suspect_in_awk},
    {.name = "split",
     .effect = Effect::write,
     .options = {.flags = "dexu",
                 .valued = "abClnt",
                 .longs = "suffix-length= bytes= lines= number= numeric-suffixes? "
                          "additional-suffix= verbose"}},
    {.name = "install",
     .effect = Effect::write,
     .options = {.flags = "bcCdDpTv",
                 .valued = "gmotS",
                 .longs = "directory mode= owner= group= target-directory= verbose backup?"}},
    {.name = "gzip", .effect = Effect::write, .any = true},
    {.name = "gunzip", .effect = Effect::write, .any = true},
    {.name = "unzip", .effect = Effect::write, .any = true},
    {.name = "tar",
     .effect = Effect::write,
     .options = {.flags = "xctvzjJakpmhO",
                 .valued = "fC",
                 .longs = "extract create list verbose gzip bzip2 xz zstd file= directory= "
                          "strip-components= exclude= keep-old-files overwrite no-same-owner"},
     .suspect = suspect_in_tar},
    {.name = "curl",
     .effect = Effect::network,
     .options = {.flags = "fgGiIjkLnNRsSv#012346a",
                 .valued = "AbdeFHmQrTuxXyYz",
                 .longs = kCurlLongs},
     .writing = {.flags = "fgGiIjkLnNRsSvOJ", .valued = "ocDw", .longs = kCurlWriting}},
    {.name = "wget",
     .effect = Effect::network,
     .options = {.flags = "qvcNrkpnSdxE46", .valued = "OoPtTUlADRX", .longs = kWgetLongs},
     .also_writes = true},
});

template <size_t kCount>
bool is_in(const std::array<string_view, kCount>& names, string_view name) {
  static_assert(kCount > 0);
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

size_t end_of_exec(std::span<const Word> words, size_t at) {
  const auto is = [&](size_t i, string_view text) {
    return words[i].literal() && words[i].text == text;
  };
  for (++at; at < words.size(); ++at) {
    if (is(at, ";") || (is(at, "+") && is(at - 1, "{}"))) break;
  }
  return at;
}

const Program* find_program(string_view name) {
  static_assert(std::ranges::is_sorted(kReaders));
  static constexpr Program kReads{.any = true};
  static constexpr Program kWrites{.effect = Effect::write, .any = true};
  static constexpr Program kConnects{.effect = Effect::network, .any = true};
  if (std::ranges::binary_search(kReaders, name)) return &kReads;
  const auto found = std::ranges::find(kPrograms, name, &Program::name);
  if (found != kPrograms.end()) return &*found;
  if (is_in(kWriters, name)) return &kWrites;
  return is_in(kNetwork, name) ? &kConnects : nullptr;
}

}  // namespace helve::shell
