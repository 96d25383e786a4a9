// SPDX-License-Identifier: Apache-2.0
//
// node bridge.mjs COMMAND...: prints a URL, at which the protocol's conformance suite, which speaks HTTP only, reaches a
// gotap mcp on standard input and output. Each initialize begins a process, whose number is the session; requests of
// revisions without one share a process. What it adds is what HTTP demands: statuses and headers.

import { spawn } from 'node:child_process';
import http from 'node:http';
import readline from 'node:readline';

const command = process.argv.slice(2);
const sessions = new Map();

function start() {
	const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
	const waiting = new Map();
	let last = 0;
	readline.createInterface({ input: child.stdout }).on('line', (line) => {
		const message = JSON.parse(line);
		const done = waiting.get(message.id);
		if (!done)
			return;
		waiting.delete(message.id);
		done(message);
	});
	return {
		// Ids of several clients could be equal: here each has another one.
		ask: (request) => new Promise((done) => {
			const id = ++last;
			waiting.set(id, (answer) => done({ ...answer, id: request.id }));
			child.stdin.write(JSON.stringify({ ...request, id }) + '\n');
		}),
		tell: (note) => child.stdin.write(JSON.stringify(note) + '\n'),
		end: () => child.stdin.end(),
	};
}

const statuses = { '-32601': 404, '-32602': 400, '-32022': 400, '-32600': 400 };
const shared = start();

http.createServer(async (request, response) => {
	const say = (status, body, headers = {}) => {
		response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
		response.end(body && JSON.stringify(body));
	};
	if (!/^(127\.0\.0\.1|localhost)(:|$)/.test(request.headers.host ?? ''))
		return say(403);
	const session = request.headers['mcp-session-id'];
	if (request.method === 'DELETE') {
		sessions.get(session)?.end();
		return say(sessions.delete(session) ? 200 : 404);
	}
	if (request.method !== 'POST')
		return say(405);
	let text = '';
	for await (const piece of request)
		text += piece;
	const message = JSON.parse(text);
	const meta = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
	if (message.method === 'initialize' && !meta) {
		const name = String(sessions.size + 1);
		sessions.set(name, start());
		return say(200, await sessions.get(name).ask(message), { 'Mcp-Session-Id': name });
	}
	if (meta && (request.headers['mcp-protocol-version'] ?? meta) !== meta)
		return say(400, { jsonrpc: '2.0', id: message.id, error: { code: -32020, message: 'the header names another revision' } });
	if (session && !sessions.has(session))
		return say(404);
	const peer = sessions.get(session) ?? shared;
	if (message.id === undefined) {
		peer.tell(message);
		return say(202);
	}
	const answer = await peer.ask(message);
	say(session ? 200 : statuses[answer.error?.code] ?? 200, answer);
}).listen(0, '127.0.0.1', function () { console.log(`http://127.0.0.1:${this.address().port}/mcp`); });
process.on('SIGTERM', () => process.exit(0));
