// For programs that serve their tools to MCP clients.
#pragma once

#include "mcp/server.h"
#include "mcp/stdio.h"
#include "sys/clock.h"
