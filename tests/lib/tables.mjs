// SPDX-License-Identifier: Apache-2.0
//
// node tables.mjs MODULES SQL-FILE...: runs the statements of the files in one DuckDB, and prints the rows of each
// query, one a line with tabs between values, after a line "-- NUMBER SECONDS". A statement ends with ";" at the end of a
// line; the first that fails ends the program with its text. With DUCKDB_HEADER the names of the columns are a row, too. MODULES is the folder node_modules that has @duckdb/node-api.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const require = createRequire(resolve(modules, 'x.js'));
const { DuckDBInstance } = require('@duckdb/node-api');

// The statements of a text, without comments at the begin of lines.
const statements = (text) =>
	text.split('\n').filter((line) => !line.startsWith('--')).join('\n')
		.split(/;[ \t]*(?:\n|$)/).map((s) => s.trim()).filter(Boolean);

const show = (value) => (value === null ? 'NULL' : String(value));

const connection = await (await DuckDBInstance.create(':memory:', { threads: process.env.DUCKDB_THREADS ?? '2' })).connect();
let number = 0;
for (const file of files) {
	for (const sql of statements(readFileSync(file, 'utf8'))) {
		const begin = process.hrtime.bigint();
		let result;
		try {
			result = await connection.runAndReadAll(sql);
		} catch (e) {
			console.error(`${file}: ${e.message}\n${sql}`);
			process.exit(1);
		}
		if (!/^\s*(select|with|from|describe|summarize)/i.test(sql))
			continue;
		number++;
		console.log(`-- ${number} ${(Number(process.hrtime.bigint() - begin) / 1e9).toFixed(3)}`);
		if (process.env.DUCKDB_HEADER)
			console.log(result.columnNames().join('\t'));
		for (const row of result.getRows())
			console.log(row.map(show).join('\t'));
	}
}
