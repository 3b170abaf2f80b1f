// What every MCP client must find in helve, whichever library it uses and whichever era it speaks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, isRunning, kLastLine, kManyFiles, ticks, World } from './world.mjs';

const kInvalidParams = -32602;
const kMethodNotFound = -32601;

// driver.connect(world, args, {roots, elicit}) gives {client, transport, call(params, options), request(method, params), faults}, where
// `faults` are the errors that the library reported on the side, such as a line that is no message.
export function suite(driver) {
  let world, link;
  before(async () => {
    world = new World();
    link = await driver.connect(world);
  });
  after(async () => {
    await link?.client.close();
    world?.remove();
  });
  const call = (name, args = {}, options = {}) => link.call({ name, arguments: args }, options);
  const refuses = (promise, code) => assert.rejects(promise, (error) => assert.equal(error.code, code) ?? true);

  test('the server says who it is and what it offers', () => {
    assert.equal(link.client.getServerVersion().name, 'helve');
    assert.match(link.client.getInstructions(), /workspace/);
    const offered = link.client.getServerCapabilities();
    for (const feature of ['tools', 'resources', 'prompts', 'completions']) assert.ok(offered[feature], feature);
  });

  test('every tool is listed with schemas, in the same order every time', async () => {
    const { tools } = await link.client.listTools();
    const names = tools.map((tool) => tool.name);
    const known = JSON.parse(world.run('tools', '--format', 'mcp')).map((tool) => tool.name);
    assert.deepEqual(names, known);
    for (const name of ['ls', 'read', 'write', 'read_large_result']) assert.ok(names.includes(name), name);
    for (const tool of tools) {
      assert.equal(tool.inputSchema.type, 'object', tool.name);
      assert.equal(tool.outputSchema.type, 'object', tool.name);
      assert.ok(tool.title && tool.description, tool.name);
      assert.equal(typeof tool.annotations.readOnlyHint, 'boolean', tool.name);
    }
    const other = await driver.connect(world);
    const again = (await other.client.listTools()).tools;
    await other.client.close();
    assert.deepEqual(again, tools);
  });

  test('a cursor that no page gave is refused', () => refuses(link.client.listTools({ cursor: 'nowhere' }), kInvalidParams));

  test('a call gives text and a structured value that fits the output schema', async () => {
    await link.client.listTools();  // the library checks values against the schemas that it has seen
    const result = await call('read', { path: 'hello.txt' });
    assert.ok(!result.isError);
    assert.match(result.content[0].text, /1\tHello,\n\s+2\tworld\./);
    assert.equal(result.structuredContent.content, 'Hello,\nworld.\n');
    assert.equal(result.structuredContent.total_lines, 2);
  });

  test('the person behind the client decides, for one call, the session or ever', async () => {
    const questions = [];
    let decision = 'once';
    const elicit = (params) => {
      questions.push(params);
      return decision === 'decline' ? { action: 'decline' } : { action: 'accept', content: { decision } };
    };
    const args = ['--root', world.workspace, '--approvals', 'smart'];
    const asking = await driver.connect(world, args, { elicit });
    const write = (path, from = asking) => from.call({ name: 'write', arguments: { path, content: 'x' } });
    try {
      assert.ok(!(await asking.call({ name: 'read', arguments: { path: 'hello.txt' } })).isError);
      assert.equal(questions.length, 0);
      for (let i = 1; i <= 2; ++i) {
        assert.ok(!(await write('asked/once.txt')).isError);
        assert.equal(questions.length, i);
      }
      assert.match(questions[0].message, /^write needs approval .*--approvals smart/);
      decision = 'session';
      for (let i = 0; i < 2; ++i) assert.ok(!(await write('asked/session.txt')).isError);
      assert.equal(questions.length, 3);
      decision = 'decline';
      const declined = await write('asked/no.txt');
      assert.ok(declined.isError);
      assert.match(declined.content[0].text, /refused/);
      decision = 'always';
      assert.match(JSON.stringify((await write('asked/always.txt')).content), /added to approvals.allow in /);
      assert.equal(questions.length, 5);
    } finally {
      await asking.client.close();
    }
    assert.deepEqual(asking.faults, []);
    // Without a person there are the rules.
    const alone = await driver.connect(world, args);
    try {
      assert.ok(!(await write('asked/always.txt', alone)).isError);
      const refused = await write('asked/no.txt', alone);
      assert.ok(refused.isError);
      assert.match(refused.content[0].text, /nobody to ask[^]*- \{tool: write, arguments: \{path: "asked\/no.txt"\}/);
    } finally {
      await alone.client.close();
    }
    world.forgetRules();
  });

  test('a call changes what it says it changes', async () => {
    const written = await call('write', { path: 'new/note.txt', content: 'é\n' });
    const { change, ...rest } = written.structuredContent;
    assert.deepEqual(rest, { path: 'new/note.txt', bytes: 3, lines: 1, created: true, notes: [] });
    assert.match(change, /^c_/);
    const read = await call('read', { path: 'new/note.txt' });
    assert.equal(read.structuredContent.content, 'é\n');
  });

  test('names that other agents use work too', async () => {
    const result = await call('Read', { file_path: 'hello.txt' });
    assert.equal(result.structuredContent.path, 'hello.txt');
  });

  test('a call that fails is a result with a message and a next step', async () => {
    const missing = await call('read', { path: 'nowhere.txt' });
    assert.equal(missing.isError, true);
    assert.match(missing.content[0].text, /nowhere\.txt[^]*Hint: /);
    const outside = await call('read', { path: '/etc/passwd' });
    assert.equal(outside.isError, true);
  });

  test('wrong arguments are a result that names each of them', async () => {
    const result = await call('read', { file: 'hello.txt', limit: 'many' });
    assert.equal(result.isError, true);
    for (const word of ['path', 'file', 'limit']) assert.match(result.content[0].text, new RegExp(word));
  });

  test('an unknown tool is a protocol error', () => refuses(call('no_such_tool'), kInvalidParams));

  test('an unknown method is a protocol error', () => refuses(link.request('no/such/method', {}), kMethodNotFound));

  test('many calls at once are all answered', async () => {
    const calls = Array.from({ length: 100 }, (_, i) => call('read', { path: `many/a_file_with_a_rather_long_name_${i}.txt` }));
    for (const [i, result] of (await Promise.all(calls)).entries()) {
      assert.equal(result.structuredContent.path, `many/a_file_with_a_rather_long_name_${i}.txt`);
    }
  });

  test('edits of one file that are sent at once are all made, in their order', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i};`);
    await call('write', { path: 'edited.txt', content: lines.join('\n') });
    await call('read', { path: 'edited.txt' });
    const edits = [...lines.map((line) => [line, `new ${line}`]), ['new line 7;', 'last 7;']];
    const results = await Promise.all(edits.map(([old_text, new_text]) => call('edit', { path: 'edited.txt', old_text, new_text })));
    assert.deepEqual(results.filter((result) => result.isError), []);
    const { structuredContent } = await call('read', { path: 'edited.txt' });
    assert.equal(structuredContent.content, lines.map((line) => `new ${line}`).join('\n').replace('new line 7;', 'last 7;'));
  });

  test('a long answer is kept and read page by page', async () => {
    const listing = await call('ls', { path: 'many' });
    assert.equal(listing.structuredContent.total, kManyFiles);
    const id = listing.content[0].text.match(/lr_[0-9]+/)[0];
    const page = await call('read_large_result', { id, page: 2 });
    assert.equal(page.structuredContent.page, 2);
    const { contents } = await link.client.readResource({ uri: `helve://results/${id}` });
    assert.ok(contents[0].text.length > 10_000);
  });

  test('progress grows until the call ends', async () => {
    const seen = [];
    const result = await call('read', { path: 'slow.txt', start_line: kLastLine }, { onprogress: (progress) => seen.push(progress), timeout: 120_000 });
    assert.equal(result.structuredContent.content, 'the last line\n');
    assert.ok(seen.length >= 2, `${seen.length} reports`);
    for (const [i, report] of seen.entries()) {
      assert.ok(report.progress <= report.total, JSON.stringify(report));
      if (i > 0) assert.ok(report.progress > seen[i - 1].progress, JSON.stringify(seen));
    }
  });

  test('a call that is cancelled ends, and others are answered meanwhile and afterwards', async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers();
    const slow = call('read', { path: 'endless.txt', start_line: kLastLine }, { signal: stop.signal, onprogress: begun.resolve, timeout: 120_000 });
    slow.catch(() => {});
    await begun.promise;
    assert.equal((await call('read', { path: 'hello.txt' })).structuredContent.end_line, 2);
    stop.abort('enough');
    await assert.rejects(slow);
    assert.equal((await call('read', { path: 'hello.txt' })).structuredContent.end_line, 2);
    const pid = link.transport.pid;
    let last;
    const idle = await eventually(() => last === (last = ticks(pid)));
    assert.ok(idle, 'the server still works on the call that was cancelled');
  });

  test('resources are listed page by page and read', async () => {
    let { resources, nextCursor } = await link.client.listResources({});
    while (nextCursor !== undefined) {
      const page = await link.client.listResources({ cursor: nextCursor });
      resources = resources.concat(page.resources);
      nextCursor = page.nextCursor;
    }
    const uris = new Set(resources.map((resource) => resource.uri));
    assert.equal(uris.size, resources.length);
    assert.ok(uris.has(`file://${world.workspace}/hello.txt`));
    assert.ok(resources.length > kManyFiles, `${resources.length} resources`);
    const { contents } = await link.client.readResource({ uri: `file://${world.workspace}/hello.txt` });
    assert.equal(contents[0].text, 'Hello,\nworld.\n');
    const { resourceTemplates } = await link.client.listResourceTemplates();
    assert.ok(resourceTemplates.length >= 2);
  });

  test('a resource that does not exist is a protocol error', () =>
    refuses(link.client.readResource({ uri: `file://${world.workspace}/nowhere` }), driver.noResource));

  test('prompts are listed and rendered', async () => {
    const { prompts } = await link.client.listPrompts();
    assert.ok(prompts.some((prompt) => prompt.name === 'tools'));
    const { messages } = await link.client.getPrompt({ name: 'tools', arguments: { group: 'fs' } });
    assert.match(messages[0].content.text, /read/);
    await refuses(link.client.getPrompt({ name: 'no_such_prompt' }), kInvalidParams);
  });

  test('arguments of prompts and resources are completed', async () => {
    const group = await link.client.complete({ ref: { type: 'ref/prompt', name: 'tools' }, argument: { name: 'group', value: 'f' } });
    assert.ok(group.completion.values.includes('fs'), JSON.stringify(group));
    const { resourceTemplates } = await link.client.listResourceTemplates();
    const uri = resourceTemplates.find((template) => template.uriTemplate.startsWith('file:')).uriTemplate;
    const file = await link.client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'path', value: 'hel' } });
    assert.deepEqual(file.completion.values, ['hello.txt']);
  });

  driver.extra?.(() => link, () => world);

  test('nothing but messages came, and the server ends with its client', async () => {
    const pid = link.transport.pid;
    await link.client.close();
    // The last progress is sent before the answer, and both often arrive in one piece. The libraries (_onresponse and
    // _onnotification of Protocol) then forget the call's progress handler as soon as they see the answer, but look at
    // the notification only afterwards, in a promise of its own; so they miss the call that it belongs to.
    assert.deepEqual(link.faults.filter((fault) => !fault.startsWith('Received a progress notification for an unknown token')), []);
    assert.ok(await eventually(() => !isRunning(pid)), 'the server still runs');
  });
}
