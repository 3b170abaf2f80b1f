// The official client library of the stateless era, speaking to us as to a server of the handshake era.
import { legacyExtra } from './legacy.mjs';
import { connectWith } from './client.mjs';
import { suite } from './suite.mjs';

const connect = connectWith({ mode: 'legacy' });
// The library turns the old code for a missing resource into the new one.
suite({ connect, noResource: -32602, extra: legacyExtra(connect) });
