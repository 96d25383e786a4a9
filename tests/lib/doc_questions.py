#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doc_questions.py PAGE SQL ROWS

Writes the queries of a page (```sql ... ```) to SQL, and the table that follows each of them to ROWS in the form in which
tables.mjs prints rows with DUCKDB_HEADER, without its lines "--". Prints the number of queries.
"""
import re
import sys

page, sql, rows = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    found = re.findall(r"^\*\*(\d+)\. [^\n]*\*\*\n\n```sql\n(.*?)```\n\n((?:\|[^\n]*\n)+)", file.read(), re.M | re.S)
with open(sql, "w") as queries, open(rows, "w") as want:
    for number, query, table in found:
        queries.write(query)
        lines = [line.strip("|").split("|") for line in table.splitlines()]
        del lines[1]
        for line in lines:
            want.write("\t".join(cell.strip() for cell in line) + "\n")
print(len(found))
