// SPDX-License-Identifier: Apache-2.0
//
// node tables.mjs MODULES SQL-FILE...: runs the statements of the files in one DuckDB, and prints the rows of each
// query, one a line with tabs between values, after a line "-- NUMBER SECONDS SECONDS-OF-CPU". A statement ends with ";"
// at the end of a line; the first that fails ends the program with its text. With DUCKDB_HEADER the names of the columns
// are a row, too. MODULES: node_modules of tests/lib/parquet.bash.
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

const instance = await DuckDBInstance.create(':memory:', {
	threads: process.env.DUCKDB_THREADS ?? '2', max_temp_directory_size: '1GB',
});
const connection = await instance.connect();
let number = 0;
for (const file of files) {
	for (const sql of statements(readFileSync(file, 'utf8'))) {
		const begin = process.hrtime.bigint(), used = process.cpuUsage();
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
		const wall = Number(process.hrtime.bigint() - begin) / 1e9, cpu = process.cpuUsage(used);
		console.log(`-- ${number} ${wall.toFixed(3)} ${((cpu.user + cpu.system) / 1e6).toFixed(3)}`);
		if (process.env.DUCKDB_HEADER)
			console.log(result.columnNames().join('\t'));
		for (const row of result.getRows())
			console.log(row.map(show).join('\t'));
	}
}
