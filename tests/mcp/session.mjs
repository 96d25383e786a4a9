// SPDX-License-Identifier: Apache-2.0
//
// node session.mjs old|new MODULES ANSWERS PID TRACE COMMAND...: drives a gotap mcp with a client of the protocol's SDK: the one
// before the revision 2026-07-28 (sdk), or the one since (client), which asks server/discover first. Calls each tool,
// on the process PID and on the trace TRACE of its folder. The clients validate each message, and structured content by
// the output schema of the tool. Writes the structured content of all calls to ANSWERS, a line each.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [era, modules, answersPath, pid, trace, ...command] = process.argv.slice(2);
const require = createRequire(modules + '/x.js');
const load = (name) => import(pathToFileURL(require.resolve(name)));

async function connect(era) {
	const info = { name: 'tests', version: '1' };
	let client, transport;
	if (era === 'old') {
		const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
		const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
		client = new Client(info);
		transport = new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'inherit' });
	} else {
		const { Client } = await load('@modelcontextprotocol/client');
		const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
		client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
		transport = new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'inherit' });
	}
	client.onerror = (error) => { throw error; };
	await client.connect(transport);
	return { client, transport };
}

const { client, transport } = await connect(era);
const answers = fs.openSync(answersPath, 'w');
const number = Number(pid);

// The result of a call that must succeed.
async function call(name, args, options = {}) {
	const params = { name, arguments: args };
	const result = era === 'old' ? await client.callTool(params, undefined, options) : await client.callTool(params, options);
	assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
	assert.deepEqual(JSON.parse(result.content[1].text), result.structuredContent, 'the text is another answer');
	assert.ok(result.content[0].text.length > 20);
	fs.writeSync(answers, JSON.stringify({ tool: name, ...result.structuredContent }) + '\n');
	return result.structuredContent;
}

async function fails(name, args, text) {
	const params = { name, arguments: args };
	const result = await client.callTool(params);
	assert.equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
	assert.ok(result.content[0].text.includes(text), result.content[0].text);
}

// --- what there is

const { tools } = await client.listTools();
const want = ['ps', 'doctor', 'stacks', 'heap', 'top', 'record', 'report', 'why', 'requests', 'diff', 'whatif', 'profile', 'check', 'traces'];
assert.deepEqual(tools.map((t) => t.name), want);
for (const tool of tools) {
	assert.equal(tool.annotations.readOnlyHint, !['top', 'record'].includes(tool.name));
	assert.equal(tool.annotations.destructiveHint, false);
}
assert.ok(client.getServerCapabilities().tools && client.getInstructions().includes('report'));
assert.equal(client.getServerVersion().name, 'gotap');

// --- each tool

assert.ok((await call('ps', {})).answer.processes.some((p) => p.pid === number && p.traceable));
assert.equal((await call('ps', {})).answer.processes.find((p) => p.pid === number).command, '');
assert.equal((await call('doctor', { pid: number })).answer.traceable, true);
assert.ok((await call('stacks', { pid: number })).answer.groups.length > 0);
assert.ok((await call('stacks', { pid: number, group: false, system: true })).answer.goroutines.length > 0);
const heap = await call('heap', { pid: number, lines: 3 });
assert.ok(heap.answer.kind === 'heap' && heap.answer.functions.length <= 3 && Number.isInteger(heap.answer.rate));
assert.ok(!heap.answer.rate || heap.answer.total.inuse_bytes > 0);
assert.ok((await call('heap', { pid: number, kind: 'allocs', now: true, diff_seconds: 0.2 })).answer.diff_seconds >= 0.2);
assert.equal((await call('heap', { pid: number, kind: 'block' })).answer.kind, 'block');
assert.ok((await call('top', { pid: number, interval_seconds: 0.3 })).answer.goroutines > 0);

const told = [];
const recorded = await call('record', { pid: number, duration_seconds: 1.5, cpu_samples_hz: 99, events: '+linux,+http' },
	{ onprogress: (p) => told.push(p.progress) });
const made = recorded.losses[0].trace;
assert.equal(recorded.answer.output, made);
assert.deepEqual([recorded.losses[0].known, recorded.losses[0].lost_records], [true, recorded.answer.lost]);
assert.ok(told.length >= 1 && told.every((p, i) => !i || p > told[i - 1]), `progress: ${told}`);

const report = await call('report', { traces: [made] });
assert.ok(report.answer.answer[0].text.length > 0 && report.losses[0].known);
assert.equal(report.answer.traces[0].origin.command, undefined);
await call('report', { traces: [trace, made], top: 3, by_label: 'path' });
await call('why', { trace: made });
await call('why', { trace, from_seconds: 0.01, to_seconds: 0.2 });
await call('requests', { trace: made, slowest: 5 });
await call('diff', { a: trace, b: made });
await call('whatif', { trace: made });
for (const type of ['wall', 'cpu', 'block'])
	assert.equal((await call('profile', { trace: made, type })).answer.unit, type === 'cpu' ? 'count' : 'ns');
const profile = (await call('profile', { trace: made, type: 'wall', max_bytes: 1000000 })).answer;
assert.equal(profile.stacks.reduce((sum, s) => sum + s.value, 0), profile.total);
assert.ok((await call('check', { traces: [made, trace] })).answer.traces.every((t) => t.ok));
const listed = (await call('traces', {})).answer;
assert.ok(listed.traces.find((t) => t.name === made).recorded_here && !listed.traces.find((t) => t.name === trace).recorded_here);

// --- long answers are cut, and the rest can be had

const cut = await call('report', { traces: [made], max_bytes: 6000 });
assert.ok(JSON.stringify(cut).length < 9000 && cut.left_out.length > 0 && cut.more);
const where = cut.left_out.find((l) => l.at === '/traces/*/timeline/running');
assert.equal(where.of, report.answer.traces[0].timeline.running.length);
const part = await call('report', { traces: [made], part: '/traces/0/timeline/running' });
assert.deepEqual(part.part.value, report.answer.traces[0].timeline.running);
assert.deepEqual([part.left_out, part.more, part.answer], [[], null, undefined]);

// --- what a model may get wrong

await fails('record', {}, 'pid');
await fails('record', { pid: number, duration_seconds: 1e6 }, 'takes a number from 0.1 to');
await fails('record', { pid: number, duration_seconds: 1, attach: 'inline' }, '--allow-inline');
await fails('record', { pid: 1 << 29, duration_seconds: 1 }, 'process');
await fails('report', { traces: ['none'] }, "there is no trace 'none'");
for (const name of ['../x', '/etc/passwd', '.', 'a/b', '-o', 'link'])
	await fails('report', { traces: [name] }, name === 'link' ? 'there is no trace' : 'without a path');
await fails('report', { traces: [made], part: '/nothing' }, 'no such part');
await fails('report', { traces: [made], max_bytes: 1 }, 'max_bytes');
await fails('why', { trace: made, func: 'no\0thing' }, 'takes a text');
await fails('why', { trace: made, func: '$(touch /tmp/x); `id`' }, 'no goroutine began with');
await fails('stacks', { pid: number, surprise: 1 }, "no argument 'surprise'");
await fails('heap', { pid: number, kind: 'goroutine' }, 'takes one of: heap');
await fails('heap', { pid: number, switch_on: true }, "no argument 'switch_on'");
await fails('heap', { pid: 1 << 29 }, 'process');
await assert.rejects(client.callTool({ name: 'shell', arguments: {} }), { code: -32602 });

// --- resources

const { resources } = await client.listResources();
for (const { uri } of resources) {
	const { contents } = await client.readResource({ uri });
	assert.ok(contents[0].text.length > 20, uri);
	if (uri.startsWith('gotap://schema/'))
		assert.equal(JSON.parse(contents[0].text).$schema, 'https://json-schema.org/draft/2020-12/schema');
}
assert.ok(resources.some((r) => r.uri === `gotap://trace/${made}`));
await assert.rejects(client.readResource({ uri: 'gotap://trace/../x' }));
await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }));

// --- cancellation ends the command, and what runs beside it goes on

const children = () => fs.readFileSync(`/proc/${transport.pid}/task/${transport.pid}/children`, 'utf8').trim();
const abort = new AbortController();
const args = { name: 'record', arguments: { pid: number, duration_seconds: 30 } };
const pending = era === 'old' ? client.callTool(args, undefined, { signal: abort.signal }) : client.callTool(args, { signal: abort.signal });
const rejected = assert.rejects(pending);
const until = async (what) => {
	for (let i = 0; !what(); i++) {
		assert.ok(i < 400, 'not true within 20 s');
		await new Promise((done) => setTimeout(done, 50));
	}
};
await until(() => children() !== '');
await fails('record', { pid: number, duration_seconds: 1 }, 'a recording runs');
abort.abort();
await rejected;
await until(() => children() === '');
await call('ps', {});
await client.close();
console.log('done', era);
