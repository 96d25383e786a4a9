#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clickhouse.py LIBCHDB DIR [QUERY]...

Runs queries in ClickHouse as a library (npm's @chdb/lib-linux-x64-gnu, tests/lib/clickhouse.bash), with its tables in
the folder DIR, and prints the rows of each, in the format TSV. A QUERY that begins with @ names a file of queries that
end with ";" at the end of a line. The first one that fails ends the program with status 1.
"""
import ctypes
import re
import sys


def bind(path):
    lib = ctypes.CDLL(path)
    for name, result, arguments in (
            ('chdb_connect', ctypes.POINTER(ctypes.c_void_p), [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]),
            ('chdb_query', ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
            ('chdb_result_buffer', ctypes.c_void_p, [ctypes.c_void_p]),
            ('chdb_result_length', ctypes.c_size_t, [ctypes.c_void_p]),
            ('chdb_result_error', ctypes.c_char_p, [ctypes.c_void_p]),
            ('chdb_destroy_query_result', None, [ctypes.c_void_p]),
            ('chdb_close_conn', None, [ctypes.POINTER(ctypes.c_void_p)])):
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def queries(arguments):
    for argument in arguments:
        if not argument.startswith('@'):
            yield argument
            continue
        with open(argument[1:], encoding='utf-8') as file:
            text = re.sub(r'^\s*--.*$', '', file.read(), flags=re.M)
        yield from (q for q in re.split(r';[ \t]*\n', text) if q.strip())


def main():
    lib = bind(sys.argv[1])
    words = [b'clickhouse', b'--path=' + sys.argv[2].encode()]
    connection = lib.chdb_connect(len(words), (ctypes.c_char_p * len(words))(*words))
    if not connection:
        sys.exit('clickhouse.py: no connection')
    for query in queries(sys.argv[3:]):
        result = lib.chdb_query(connection[0], query.encode(), b'TSV')
        error = lib.chdb_result_error(result)
        if error:
            lib.chdb_close_conn(connection)
            sys.exit(f'{query.strip()}\n{error.decode(errors="replace")}')
        rows = ctypes.string_at(lib.chdb_result_buffer(result), lib.chdb_result_length(result))
        sys.stdout.buffer.write(rows)
        lib.chdb_destroy_query_result(result)
    sys.stdout.flush()
    lib.chdb_close_conn(connection)


main()
