#include "cli/completion.h"

namespace helve::cli {

std::string completion_script(Shell shell, const Program& program, const Registry& registry) {
  const Outline outline = outline_of(program, registry);
  switch (shell) {
    case Shell::zsh:
      return zsh_script(outline);
    case Shell::fish:
      return fish_script(outline);
    case Shell::bash:
      break;
  }
  return bash_script(outline);
}

}  // namespace helve::cli
