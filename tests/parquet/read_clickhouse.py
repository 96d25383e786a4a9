#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read_clickhouse.py FILE [TSV]

Without TSV: prints queries about FILE, which tests/parquet/rows.c wrote: all rows, and then for each column of numbers
how many rows have at least the value of some row, which ClickHouse answers without the row groups and pages that cannot
have such rows. With TSV, the answers: compares them with FILE.rows. Texts that are not UTF-8 are repaired here, and a NaN
is any NaN.
"""
import re
import sys

SHOW = {
    'bool': 'toString(toUInt8({0}))',
    'time': 'toString(toUnixTimestamp64Nano({0}))',
    'f64': "lower(leftPad(hex(reinterpretAsUInt64({0})), 16, '0'))",
    'text': "concat('x', lower(hex({0})))",
}


def read_rows(path):
    with open(path + '.rows', encoding='ascii') as file:
        lines = file.read().split('\n')[:-1]
    return [column.split(':') for column in lines[0].split()], lines[1:]


def counts(columns, rows):
    """(name, type, value, number of rows with at least that value) for columns of numbers."""
    cells = [row.split('\t') for row in rows]
    for i, (name, kind) in enumerate(columns):
        values = [int(cell[i]) for cell in cells if cell[i] != '-'] if kind[1:] in ('32', '64') and kind != 'f64' or kind == 'time' else []
        if values:
            value = values[len(values) * 2 // 3]
            yield name, kind, value, sum(v >= value for v in values)


def queries(path):
    columns, rows = read_rows(path)
    shown = [f"ifNull({SHOW.get(kind, 'toString({0})').format(name)}, '-')" for name, kind in columns]
    yield f"SELECT {', '.join(shown)} FROM file('{path}', Parquet) SETTINGS max_threads = 1"
    for name, kind, value, _ in counts(columns, rows):
        limit = f"fromUnixTimestamp64Nano(toInt64('{value}'), 'UTC')" if kind == 'time' else f"to{kind.replace('i', 'Int').replace('u', 'UInt')}('{value}')"
        yield f"SELECT count() FROM file('{path}', Parquet) WHERE {name} >= {limit}"


def is_valid(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def repaired(data):
    """A range loop of Go: U+FFFD for each byte that begins no valid character."""
    out, i = b'', 0
    while i < len(data):
        n = next((n for n in range(1, 5) if i + n <= len(data) and is_valid(data[i:i + n])), 0)
        out += data[i:i + n] if n else '\ufffd'.encode()
        i += n or 1
    return out


def expected(cell, kind):
    if kind == 'text' and cell != '-':
        data = bytes.fromhex(cell[1:])
        return 'x' + (data if is_valid(data) else repaired(data)).hex()
    return cell


def is_nan(cell):
    return bool(re.fullmatch('[7f]ff[8-f].{12}', cell))


def main():
    if len(sys.argv) == 2:
        print(';\n'.join(queries(sys.argv[1])))
        return
    columns, want = read_rows(sys.argv[1])
    kinds = [kind for _, kind in columns]
    want_counts = [(name, kind, value, str(n)) for name, kind, value, n in counts(columns, want)]
    with open(sys.argv[2], encoding='ascii') as file:
        got = file.read().split('\n')[:-1]
    if len(want) + len(want_counts) != len(got):
        sys.exit(f'{sys.argv[1]}: {len(got) - len(want_counts)} rows, not {len(want)}')
    for (name, kind, value, n), found in zip(want_counts, got[len(want):]):
        if n != found:
            sys.exit(f'{sys.argv[1]}: {found} rows with {name}:{kind} >= {value}, not {n}')
    for row, (a, b) in enumerate(zip(want, got)):
        if a == b:
            continue
        for kind, x, y in zip(kinds, a.split('\t'), b.split('\t')):
            if expected(x, kind) != y and not (kind == 'f64' and is_nan(x) and is_nan(y)):
                sys.exit(f'{sys.argv[1]}: row {row}, {kind}: {y[:200]}, not {x[:200]}')


main()
