// A model that we did not write: helve's agent against aimock, in every format that both speak. (It repairs broken tool
// JSON, so what is garbled is tried elsewhere: tests/agent/faults.py.)
import { LLMock } from '@copilotkit/aimock';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { helve, World } from './world.mjs';

const kFormats = [['openai', '/v1'], ['openai-responses', '/v1'], ['anthropic', ''], ['gemini', '/v1beta']];
let world, model;

before(async () => {
  world = new World();
  model = new LLMock({ port: 0 });
  model.on({ toolResultContains: 'Hello,' }, { content: 'It greets the **world**.' });
  model.on({ userMessage: 'greet', hasToolResult: false },
           { content: 'I look.', toolCalls: [{ name: 'read', arguments: '{"path":"hello.txt"}' }] });
  model.onMessage('hello', { content: 'Hi there!' });
  await model.start();
});
after(async () => {
  await model.stop();
  world.remove();
});

function run(provider, path, prompt) {
  const keys = { OPENAI_API_KEY: 'mock', ANTHROPIC_API_KEY: 'mock', GEMINI_API_KEY: 'mock' };
  const child = spawn(helve, ['run', '--json', '--provider', provider, '--base-url', model.url + path, '--model', 'mock', prompt],
                      { env: { ...world.environment, ...keys }, cwd: world.workspace, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '';
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { err += data; });
  return new Promise((resolve) => child.on('close', (code) => {
    resolve({ code, err, events: out.split('\n').filter(Boolean).map((line) => JSON.parse(line)) });
  }));
}

for (const [provider, path] of kFormats) {
  test(`${provider}: a text`, async () => {
    const { code, err, events } = await run(provider, path, 'hello');
    assert.equal(code, 0, err);
    assert.equal(events.at(-1).text, 'Hi there!');
    assert.equal(events.filter((event) => event.type === 'text').map((event) => event.text).join(''), 'Hi there!');
  });

  test(`${provider}: a tool call`, async () => {
    const { code, err, events } = await run(provider, path, 'What does the file greet?');
    assert.equal(code, 0, err);
    const result = events.find((event) => event.type === 'result');
    assert.equal(result.tool, 'read');
    assert.match(result.text, /Hello,/);
    assert.equal(events.at(-1).text, 'It greets the **world**.');
  });
}
