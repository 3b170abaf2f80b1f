// All that a program needs to define tools, call them and serve them. Include this header or one
// of those below, and no other. Until 1.0 the API may change with every minor version; the headers
// that these include are the modules' own and may change with any.
#pragma once

#include "helve/dispatch.h"
#include "helve/mcp.h"
#include "helve/tool.h"
