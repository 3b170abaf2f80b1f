// The command line of the MCP Inspector, as people run it by hand: one process a question.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { World } from './world.mjs';

const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json').replace('package.json', 'clients/launcher/build/index.js'));
let world;
before(() => { world = new World(); });
after(() => world?.remove());

function inspect(era, ...args) {
  const { command, args: words } = world.server();
  const child = spawnSync(process.execPath, [inspector, '--cli', command, ...words, '--protocol-era', era, '--format', 'json', '--quiet', ...args],
    { env: world.environment, cwd: world.home, encoding: 'utf8', timeout: 60_000 });
  return { status: child.status, out: child.stdout, err: child.stderr, json: () => JSON.parse(child.stdout) };
}

function succeeds(...args) {
  const run = inspect(...args);
  assert.equal(run.status, 0, run.err);
  const answer = run.json();
  return answer.result ?? answer;
}

for (const era of ['legacy', 'modern']) {
  describe(era, () => {
    test('tools/list finds no fault with any schema', () => {
      const { tools } = succeeds(era, '--method', 'tools/list', '--strict');
      assert.deepEqual(tools.map((tool) => tool.name), JSON.parse(world.run('tools', '--format', 'mcp')).map((tool) => tool.name));
    });

    test('tools/call passes arguments with their types', () => {
      const result = succeeds(era, '--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'path=hello.txt', 'limit=1');
      assert.equal(result.structuredContent.content, 'Hello,\n');
    });

    test('tools/call tells a failure', () => {
      const run = inspect(era, '--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'path=nowhere.txt');
      assert.notEqual(run.status, 0);
      assert.match(run.out + run.err, /nowhere\.txt/);
    });

    test('resources/list and resources/read', () => {
      const { resources } = succeeds(era, '--method', 'resources/list');
      const uri = resources.find((resource) => resource.name === 'hello.txt').uri;
      const { contents } = succeeds(era, '--method', 'resources/read', '--uri', uri);
      assert.equal(contents[0].text, 'Hello,\nworld.\n');
    });

    test('prompts/list and prompts/get', () => {
      const { prompts } = succeeds(era, '--method', 'prompts/list');
      assert.ok(prompts.some((prompt) => prompt.name === 'tools'));
      const { messages } = succeeds(era, '--method', 'prompts/get', '--prompt-name', 'tools', '--prompt-args', 'group=fs');
      assert.match(messages[0].content.text, /read/);
    });

    test('a burst of concurrent calls has no error', () => {
      const run = inspect(era, '--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'path=hello.txt', '--load', '--load-requests', '200', '--load-concurrency', '20');
      assert.equal(run.status, 0, run.err);
    });
  });
}
