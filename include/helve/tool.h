// For files that define a tool: a struct described once, a function over it, and make_tool.
#pragma once

#include "tool/make.h"
