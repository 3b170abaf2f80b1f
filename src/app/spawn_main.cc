// helve-spawn: starts and ends the commands of one helve, in one sandbox. It is small and has one
// thread, so that making a process costs little. It gets its socket as descriptor 3.
#include <unistd.h>

#include <cstdlib>

#include "process/keeper.h"

int main() { _exit(helve::process::serve_commands(3)); }
