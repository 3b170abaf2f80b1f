// The official client library that speaks both eras.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const kAnything = { '~standard': { version: 1, vendor: 'helve', validate: (value) => ({ value }) } };

export const connectWith = (versionNegotiation) => async (world, args, { roots, elicit } = {}) => {
  const capabilities = { ...(roots && { roots: { listChanged: true } }), ...(elicit && { elicitation: {} }) };
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation, capabilities });
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots() }));
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params));
  const faults = [];
  client.onerror = (error) => faults.push(error.message);
  const transport = new StdioClientTransport(world.server(args));
  await client.connect(transport);
  return {
    client, transport, faults,
    call: (params, options) => client.callTool(params, options),
    request: (method, params) => client.request({ method, params }, kAnything),
  };
};
