// The official client library, stateless: no handshake, every request on its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectWith } from './client.mjs';
import { suite } from './suite.mjs';

const kVersion = '2026-07-28';

function extra(link, world) {
  test('no handshake was needed', () => {
    assert.equal(link().client.getProtocolEra(), 'modern');
    assert.equal(link().client.getNegotiatedProtocolVersion(), kVersion);
    assert.ok(link().client.getDiscoverResult().supportedVersions.includes(kVersion));
  });

  test('a client that may choose chooses this era', async () => {
    const other = await connectWith({ mode: 'auto' })(world());
    assert.equal(other.client.getNegotiatedProtocolVersion(), kVersion);
    await other.client.close();
    assert.deepEqual(other.faults, []);
  });

  test('changes of the lists can be listened to', async () => {
    const subscription = await link().client.listen({ toolsListChanged: true, resourcesListChanged: true });
    await subscription.close();
  });
}

suite({ connect: connectWith({ mode: { pin: kVersion } }), noResource: -32602, extra });
