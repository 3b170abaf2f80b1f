// The official SDK of the handshake era.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { EmptyResultSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { legacyExtra } from './legacy.mjs';
import { suite } from './suite.mjs';

async function connect(world, args, roots) {
  const client = new Client({ name: 'interop', version: '1' }, { capabilities: roots ? { roots: { listChanged: true } } : {} });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots() }));
  const faults = [];
  client.onerror = (error) => faults.push(error.message);
  const transport = new StdioClientTransport(world.server(args));
  await client.connect(transport);
  return {
    client, transport, faults,
    call: (params, options) => client.callTool(params, undefined, options),
    request: (method, params) => client.request({ method, params }, EmptyResultSchema),
  };
}

suite({ connect, noResource: -32002, extra: legacyExtra(connect) });
