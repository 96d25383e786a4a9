// SPDX-License-Identifier: Apache-2.0
//
// node duckdb.mjs MODULES QUERY...
//
// Runs the queries in one DuckDB and prints their rows, a JSON array each; numbers of more than 32 bits and times are
// texts. MODULES: node_modules of tests/lib/parquet.bash.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, ...queries] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(pathToFileURL(modules + '/'))('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();

for (const query of queries)
  for (const row of (await connection.runAndReadAll(query)).getRowsJson())
    console.log(JSON.stringify(row));
