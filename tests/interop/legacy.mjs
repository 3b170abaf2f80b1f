// What only the handshake era has: ping, log levels and roots.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from './world.mjs';

export const legacyExtra = (connect) => (link, world) => {
  test('ping is answered', async () => assert.deepEqual(await link().client.ping(), {}));

  test('a log level can be chosen, and only one that exists', async () => {
    assert.deepEqual(await link().client.setLoggingLevel('warning'), {});
    await assert.rejects(link().request('logging/setLevel', { level: 'loud' }), (error) => assert.equal(error.code, -32602) ?? true);
  });

  test('the roots of the client are the workspace, also when they change', async () => {
    let root = path.join(world().workspace, 'many');
    const other = await connect(world(), [], { roots: () => [{ uri: `file://${root}`, name: 'root' }] });
    const first = async () => (await other.call({ name: 'ls', arguments: {} })).structuredContent.entries[0].name;
    try {
      assert.equal(await first(), 'a_file_with_a_rather_long_name_0.txt');
      root = world().makeDirectory('elsewhere');
      world().write('../elsewhere/only.txt', '');
      await other.client.sendRootsListChanged();
      assert.ok(await eventually(async () => (await first()) === 'only.txt'));
    } finally {
      await other.client.close();
    }
  });
};
