// The official SDK of the handshake era.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, EmptyResultSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { legacyExtra } from './legacy.mjs';
import { suite } from './suite.mjs';

async function connect(world, args, { roots, elicit } = {}) {
  const capabilities = { ...(roots && { roots: { listChanged: true } }), ...(elicit && { elicitation: {} }) };
  const client = new Client({ name: 'interop', version: '1' }, { capabilities });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots() }));
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
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
