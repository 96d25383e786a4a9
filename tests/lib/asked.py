#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""asked.py EVENTS REQUESTS

Compares the calls of `gotap requests --json` (REQUESTS) with the log events of the trace (EVENTS: gotap text --events
--json): number, errors and time of each kind and name. Prints what differs; status 1 then.
"""

import collections
import json
import shlex
import sys

CALLS = (1 << 62) + (1 << 61)
SQL = {'query': 'query', 'exec': 'exec', 'begin': 'transaction', 'commit': 'transaction', 'rollback': 'transaction',
       'conn': 'connection'}
CLOCK = 256  # ns, in which the times of a trace are rounded


def main():
    count, failed, time, after = (collections.Counter() for _ in range(4))
    types = {}
    with open(sys.argv[1], encoding='utf-8') as lines:
        for event in map(json.loads, lines):
            if event['event'] == 'UserTaskBegin':
                types[event['task']] = event['type']
            if event['event'] != 'UserLog' or event['category'] not in ('gotap.sql', 'gotap.http.client'):
                continue
            log = dict(word.split('=', 1) for word in shlex.split(event['message']))
            if event['category'] == 'gotap.http.client':
                key = 'http', types[event['task']]
            elif log['op'] == 'rows':
                key = 'query', log['query']
            else:
                name = {'conn': 'of database/sql'}.get(log['op'], log['op'].upper())
                key = SQL[log['op']], log.get('query', name)
            if 'body' in log or log.get('op') == 'rows':
                after[key] += 1
                continue
            count[key] += 1
            failed[key] += 'error' in log
            time[key] += int(log['ns'])
    with open(sys.argv[2], encoding='utf-8') as file:
        answer = json.load(file)
    wrong = []
    for row in answer['calls']:
        key = row['kind'], row['name']
        its = row['count'], row['failed'], row['after_count']
        mine = count.pop(key, 0), failed[key], after[key]
        if its != mine or abs(row['sum_ns'] - time[key]) > CLOCK * mine[0]:
            wrong.append(f'{key}: {its}, {row["sum_ns"]} ns instead of {mine}, {time[key]} ns')
        if row['connection_ns'] + row['first_byte_ns'] > row['sum_ns'] + CLOCK * mine[0]:
            wrong.append(f'{key}: its parts are longer than it')
    wrong += [f'{key}: not there' for key in count]
    print('\n'.join(wrong) or f'{len(answer["calls"])} rows')
    return bool(wrong) or not answer['calls']


if __name__ == '__main__':
    sys.exit(main())
