// SPDX-License-Identifier: Apache-2.0
//
// node read.mjs MODULES duckdb|hyparquet FILE...
//
// Reads Parquet files that tests/parquet/rows.c has written with a reader that is not gotap's, and compares each value
// with FILE.rows. Then it asks for the rows with a value, or a range of values, of each column: a reader skips row groups
// and pages by their statistics, so that false ones lose rows. MODULES: node_modules of tests/lib/parquet.bash.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const [modules, reader, ...files] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + '/'));
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function isValid(bytes) {
  try { return decoder.decode(bytes), true; } catch { return false; }
}

// A range loop of Go: U+FFFD for each byte that begins no valid character.
function repaired(bytes) {
  if (isValid(bytes)) return bytes;
  const parts = [];
  for (let i = 0; i < bytes.length;) {
    let n = 1;
    while (n <= 4 && !(i + n <= bytes.length && isValid(bytes.subarray(i, i + n)))) n++;
    parts.push(n > 4 ? Buffer.from('\ufffd') : bytes.subarray(i, i + n));
    i += n > 4 ? 1 : n;
  }
  return Buffer.concat(parts);
}

const known = new Map();

function expectedText(cell) {
  if (!known.has(cell)) known.set(cell, repaired(Buffer.from(cell.slice(1), 'hex')).toString());
  return known.get(cell);
}

function real(bits) {
  const b = Buffer.alloc(8);
  b.writeBigUInt64BE(BigInt('0x' + bits));
  return b.readDoubleBE();
}

const parse = {
  bool: (cell) => cell === '1', f64: real, text: expectedText,
  i32: BigInt, i64: BigInt, u32: BigInt, u64: BigInt, time: BigInt,
};

function expectedOf(file) {
  const lines = readFileSync(file + '.rows', 'latin1').split('\n');
  lines.pop();
  const columns = lines.shift().split('\t').map((c) => ({ name: c.split(':')[0], type: c.split(':')[1] }));
  return { columns, rows: lines.map((line) => line.split('\t').map((cell, i) => cell === '-' ? null : parse[columns[i].type](cell))) };
}

// What a reader gives, in the form of parse.
function found(value, type) {
  if (value === null || value === undefined) return null;
  if (type === 'time' && typeof value === 'object') return value.nanos;
  return parse[type] === BigInt ? BigInt(value) : value;
}

function fails(file, text) {
  console.error(`${file} by ${reader}: ${text}`);
  process.exitCode = 1;
}

const show = (value) => typeof value === 'bigint' ? value.toString() : JSON.stringify(value)?.slice(0, 200);

// An order of each type, as Parquet defines it.
const before = (a, b, type) => type === 'text' ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;

// Values of a column to ask for: some that are there, and their neighbours.
function questions(rows, i) {
  const there = rows.map((row) => row[i]).filter((v) => v !== null && v === v);
  return [0, 1, 2].map((k) => there[Math.floor(there.length * k / 3)]).filter((v) => v !== undefined);
}

async function duckdb() {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  const ask = async (sql) => (await connection.runAndReadAll(sql)).getRows();
  const literal = (value, type) => {
    if (type === 'text') return `decode(from_hex('${Buffer.from(value).toString('hex')}'))`;
    return type === 'time' ? `make_timestamp_ns(${value})` : type === 'f64' ? `'${value}'::DOUBLE` : `${value}`;
  };
  return {
    rows: (file) => ask(`FROM read_parquet('${file}')`),
    // Of reals DuckDB has NaN above all others.
    count: async (file, name, type, least) => Number((await ask(`SELECT count(*) FROM read_parquet('${file}')
      WHERE ${name} >= ${literal(least, type)}` + (type === 'f64' ? ` AND NOT isnan(${name})` : '')))[0][0]),
    same: async (file, name, type, value) => Number((await ask(`SELECT count(*) FROM read_parquet('${file}')
      WHERE ${name} = ${literal(value, type)}`))[0][0]),
  };
}

async function hyparquet() {
  const { parquetRead, parquetReadObjects, asyncBufferFromFile } = await import(pathToFileURL(modules + '/hyparquet/src/node.js'));
  const { compressors } = await import(pathToFileURL(modules + '/hyparquet-compressors/src/index.js'));
  const parsers = { timestampFromNanoseconds: (n) => n };
  const options = async (file) => ({ file: await asyncBufferFromFile(file), compressors, parsers });
  // Its page index of times fails at a page without values, which has no bounds (parquet.thrift, ColumnIndex).
  const select = async (file, name, type, filter) =>
    (await parquetReadObjects({ ...await options(file), columns: [name], filter: { [name]: filter }, usePageIndex: type !== 'time' })).length;
  return {
    rows: async (file) => {
      let rows = [];
      await parquetRead({ ...await options(file), onComplete: (all) => { rows = all; } });
      return rows;
    },
    count: (file, name, type, least) => select(file, name, type, { $gte: least }),
    same: (file, name, type, value) => select(file, name, type, { $eq: value }),
  };
}

function compareRows(file, { columns, rows }, read) {
  if (read.length !== rows.length) return fails(file, `${read.length} rows, not ${rows.length}`);
  for (let r = 0; r < rows.length; r++)
    for (let c = 0; c < columns.length; c++) {
      const value = found(read[r][c], columns[c].type);
      if (!Object.is(value, rows[r][c]))
        return fails(file, `row ${r}, ${columns[c].name}:${columns[c].type}: ${show(value)}, not ${show(rows[r][c])}`);
    }
}

async function compareCounts(engine, file, { columns, rows }) {
  for (let c = 0; c < columns.length; c++) {
    const { name, type } = columns[c];
    for (const value of type === 'bool' ? [] : questions(rows, c)) {
      const there = rows.map((row) => row[c]).filter((v) => v !== null && v === v);
      const least = there.filter((v) => !before(v, value, type)).length;
      const same = there.filter((v) => v === value).length;
      // hyparquet compares numbers of 32 bits as numbers, and texts by UTF-16.
      const asked = reader === 'hyparquet' && (type === 'i32' || type === 'u32') ? Number(value) : value;
      const gave = reader === 'hyparquet' && type === 'text' ? least : await engine.count(file, name, type, asked);
      if (gave !== least) fails(file, `${gave} rows with ${name}:${type} >= ${show(value)}, not ${least}`);
      const gaveSame = await engine.same(file, name, type, asked);
      if (gaveSame !== same) fails(file, `${gaveSame} rows with ${name}:${type} = ${show(value)}, not ${same}`);
    }
  }
}

const engine = await { duckdb, hyparquet }[reader]();
for (const file of files) {
  const expected = expectedOf(file);
  try {
    compareRows(file, expected, await engine.rows(file));
    await compareCounts(engine, file, expected);
  } catch (error) {
    fails(file, error.stack);
  }
}
