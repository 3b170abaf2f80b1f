// All that a program needs to define tools, call them and serve them. These headers stay; those
// they include are the modules' own and may change with every version.
#pragma once

#include "helve/dispatch.h"
#include "helve/mcp.h"
#include "helve/tool.h"
