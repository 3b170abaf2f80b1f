#include "search/file_types.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace helve::search {
namespace {

constexpr FileType kFileTypes[] = {
    {"agda", "*.agda *.lagda"},
    {"aidl", "*.aidl"},
    {"asciidoc", "*.adoc *.asc *.asciidoc"},
    {"asm", "*.S *.asm *.s"},
    {"asp", "*.ascx *.ascx.cs *.ascx.vb *.aspx *.aspx.cs *.aspx.vb"},
    {"astro", "*.astro"},
    {"ats", "*.ats *.dats *.hats *.sats"},
    {"avro", "*.avdl *.avpr *.avsc"},
    {"awk", "*.awk"},
    {"bat", "*.bat *.cmd"},
    {"bazel", "*.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE"},
    {"bitbake", "*.bb *.bbappend *.bbclass *.conf *.inc"},
    {"c", "*.[chH] *.[chH].in *.cats"},
    {"cabal", "*.cabal"},
    {"ceylon", "*.ceylon"},
    {"clojure", "*.clj *.cljc *.cljs *.cljx"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"coffeescript", "*.coffee"},
    {"config", "*.cfg *.conf *.config *.ini"},
    {"coq", "*.v"},
    {"cpp c++",
     "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in "
     "*.inl"},
    {"crystal", "*.cr Projectfile"},
    {"cs", "*.cs"},
    {"csharp", "*.cs"},
    {"cshtml", "*.cshtml"},
    {"css", "*.css *.scss"},
    {"csv", "*.csv"},
    {"cuda", "*.cu *.cuh"},
    {"cython", "*.pxd *.pxi *.pyx"},
    {"d", "*.d"},
    {"dart", "*.dart"},
    {"dhall", "*.dhall"},
    {"diff", "*.diff *.patch"},
    {"docker dockerfile", "*Dockerfile*"},
    {"dockercompose", "docker-compose.*.yml docker-compose.yml"},
    {"ebuild", "*.ebuild"},
    {"elisp", "*.el"},
    {"elixir", "*.eex *.ex *.exs"},
    {"elm", "*.elm"},
    {"env", ".env .env.*"},
    {"erb", "*.erb"},
    {"erlang", "*.erl *.hrl"},
    {"fish", "*.fish"},
    {"flatbuffers", "*.fbs"},
    {"fortran", "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo"},
    {"fsharp", "*.fs *.fsi *.fsx"},
    {"gitignore", ".gitignore"},
    {"gleam", "*.gleam"},
    {"glsl", "*.comp *.frag *.glsl *.vert"},
    {"gn", "*.gn *.gni"},
    {"go golang", "*.go"},
    {"gradle", "*.gradle"},
    {"graphql", "*.gql *.graphql"},
    {"groovy", "*.gradle *.groovy"},
    {"h", "*.h *.hpp"},
    {"haml", "*.haml"},
    {"haskell", "*.c2hs *.cpphs *.hs *.hsc *.lhs"},
    {"hbs", "*.hbs"},
    {"html", "*.ejs *.htm *.html"},
    {"idris", "*.idr *.lidr"},
    {"ini", "*.ini"},
    {"java", "*.java *.jsp *.jspx *.properties"},
    {"jinja", "*.j2 *.jinja *.jinja2"},
    {"jl", "*.jl"},
    {"js javascript", "*.cjs *.js *.jsx *.mjs *.vue"},
    {"json", "*.json composer.lock"},
    {"jsonl", "*.jsonl"},
    {"jsx", "*.jsx"},
    {"julia", "*.jl"},
    {"jupyter", "*.ipynb *.jpynb"},
    {"kotlin kt", "*.kt *.kts"},
    {"less", "*.less"},
    {"license",
     "*[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING COPYING[.-]* "
     "COPYRIGHT COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* GNU-*[0-9]* GPL-*[0-9]* LGPL-*[0-9]* "
     "LICEN[CS]E LICEN[CS]E[.-]* MIT-*[0-9]* MPL-*[0-9]* NOTICE NOTICE[.-]* OFL-*[0-9]* PATENTS "
     "PATENTS[.-]* UNLICEN[CS]E UNLICEN[CS]E[.-]* agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e "
     "licen[cs]e.*"},
    {"lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm"},
    {"lock", "*.lock package-lock.json"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"m4", "*.ac *.m4"},
    {"make makefile",
     "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile "
     "[Mm]akefile.am [Mm]akefile.in"},
    {"man", "*.[0-9][cEFMmpSx] *.[0-9lnpx]"},
    {"markdown", "*.markdown *.md *.mdown *.mkdn"},
    {"matlab", "*.m"},
    {"md", "*.markdown *.md *.mdown *.mkdn"},
    {"meson", "meson.build meson_options.txt"},
    {"ml", "*.ml"},
    {"msbuild", "*.csproj *.fsproj *.proj *.props *.targets *.vcxproj"},
    {"nim", "*.nim *.nimble *.nimf *.nims"},
    {"nix", "*.nix"},
    {"nu", "*.nu"},
    {"objc", "*.h *.m"},
    {"objcpp", "*.h *.mm"},
    {"ocaml", "*.ml *.mli *.mll *.mly"},
    {"org", "*.org *.org_archive"},
    {"pascal", "*.dpr *.inc *.lpr *.pas *.pp"},
    {"perl", "*.PL *.perl *.pl *.plh *.plx *.pm *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.phtml"},
    {"po", "*.po"},
    {"pod", "*.pod"},
    {"postscript", "*.eps *.ps"},
    {"prisma", "*.prisma"},
    {"protobuf proto", "*.proto"},
    {"ps powershell", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1"},
    {"puppet", "*.erb *.pp *.rb"},
    {"purs", "*.purs"},
    {"py python", "*.py *.pyi"},
    {"qmake", "*.prf *.pri *.pro"},
    {"qml", "*.qml"},
    {"r", "*.R *.Rmd *.Rnw *.r"},
    {"racket", "*.rkt"},
    {"readme", "*README README*"},
    {"robot", "*.robot"},
    {"rst", "*.rst"},
    {"ruby rb", "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru"},
    {"rust rs", "*.rs"},
    {"sass", "*.sass *.scss"},
    {"scala", "*.sbt *.scala"},
    {"scss", "*.scss"},
    {"sh shell bash",
     "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout "
     ".bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc .zlogin .zlogout "
     ".zprofile .zshenv .zshrc bash_login bash_logout bash_profile bashrc profile zlogin zlogout "
     "zprofile zshenv zshrc"},
    {"smarty", "*.tpl"},
    {"sml", "*.sig *.sml"},
    {"solidity", "*.sol"},
    {"spec", "*.spec"},
    {"sql", "*.psql *.sql"},
    {"stylus", "*.styl"},
    {"sv", "*.h *.sv *.svh *.v *.vg"},
    {"svelte", "*.svelte"},
    {"svg", "*.svg"},
    {"swift", "*.swift"},
    {"swig", "*.def *.i"},
    {"systemd",
     "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket *.swap "
     "*.target *.timer"},
    {"tcl", "*.tcl"},
    {"tex", "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex"},
    {"tf terraform", "*.tf *.tfvars"},
    {"thrift", "*.thrift"},
    {"toml", "*.toml Cargo.lock"},
    {"ts typescript", "*.cts *.mts *.ts *.tsx"},
    {"tsx", "*.tsx"},
    {"twig", "*.twig"},
    {"txt text", "*.txt"},
    {"typoscript", "*.ts *.typoscript"},
    {"vala", "*.vala"},
    {"vb", "*.vb"},
    {"vcl", "*.vcl"},
    {"verilog", "*.sv *.svh *.v *.vh"},
    {"vhdl", "*.vhd *.vhdl"},
    {"vim", "*.vim"},
    {"vimscript", "*.vim"},
    {"vue", "*.vue"},
    {"wgsl", "*.wgsl"},
    {"wiki", "*.mediawiki *.wiki"},
    {"xml", "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt"},
    {"yacc", "*.y"},
    {"yaml yml", "*.yaml *.yml"},
    {"zig", "*.zig"},
    {"zsh", "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc"},
};

}  // namespace

std::span<const FileType> file_types() { return kFileTypes; }

Result<GlobSet> globs_of_type(std::string_view name) {
  std::vector<std::string_view> known;
  for (const FileType& type : kFileTypes) {
    const std::vector<std::string_view> names = split(type.names, ' ');
    if (std::ranges::find(names, name) == names.end()) {
      std::ranges::copy(names, std::back_inserter(known));
      continue;
    }
    std::vector<std::string> globs;
    for (const std::string_view glob : split(type.globs, ' ')) globs.emplace_back(glob);
    return GlobSet::from_patterns(globs);
  }
  const std::string near = did_you_mean(name, known);
  return Error{
      Code::invalid_argument,
      fmt::format("no file type '{}'", escape_for_display(preview(name, 60))),
      near.empty()
          ? "types are named py, js, ts, go, rust, c, cpp, java and so on; `include` takes "
            "any glob"
          : near,
      "unknown_type"};
}

}  // namespace helve::search
