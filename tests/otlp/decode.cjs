// SPDX-License-Identifier: Apache-2.0
//
// node decode.cjs MODULES FILE...: reads requests of OTLP in protobuf with the generated reader of OpenTelemetry's own
// exporter for JavaScript, and prints them as OTLP's JSON, a line each. A field that the reader does not know, or that it
// would write in another form, fails: what it writes of a message must have the length of what it has read.

const fs = require('node:fs');
const path = require('node:path');

const [modules, ...files] = process.argv.slice(2);
const root = require(path.join(modules, '@opentelemetry/otlp-transformer/build/src/generated/root.js'));
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

// Ids are hexadecimal digits in OTLP's JSON, and base64 in that of protobuf.
function withIds(value) {
	if (Array.isArray(value)) return value.map(withIds);
	if (Buffer.isBuffer(value) || value instanceof Uint8Array) return Buffer.from(value).toString('hex');
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, withIds(of)]));
}

for (const file of files) {
	const bytes = fs.readFileSync(file);
	const message = Request.decode(bytes);
	const wrong = Request.verify(message);
	if (wrong) throw new Error(`${file}: ${wrong}`);
	const written = Request.encode(message).finish();
	if (written.length !== bytes.length)
		throw new Error(`${file}: ${bytes.length} bytes, of which the reader writes ${written.length}`);
	console.log(JSON.stringify(withIds(Request.toObject(message, { longs: String, enums: Number }))));
}
