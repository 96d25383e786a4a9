#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""queries.py COUNTED EVENTS

Compares the regions and logs of group sql in a trace (EVENTS: gotap text --events --json) with what the driver of
tests/prog/queries.go was asked for (COUNTED: its output), and their durations with those of the tasks that the program has
begun and ended around the same calls. Prints what differs; status 1 then.
"""

import collections
import json
import re
import shlex
import statistics
import sys

FORMS = {
    "SELECT a FROM t WHERE b = 'secret' AND c IN (1, 2, 3) -- secret": 'SELECT a FROM t WHERE b = ? AND c IN (?)',
    "UPDATE t SET a = 12.5, b = 'it''s secret' WHERE c = ?": 'UPDATE t SET a = ?, b = ? WHERE c = ?',
    "INSERT INTO t(a) VALUES (?, 'secret'), (?, 'secret')": 'INSERT INTO t(a) VALUES (?)',
    'INSERT INTO prepared VALUES ($1)': 'INSERT INTO prepared VALUES (?)',
    'SELECT prepared FROM t WHERE b = $1': 'SELECT prepared FROM t WHERE b = ?',
}
NAMES = {'begin': 'BEGIN', 'commit': 'COMMIT', 'rollback': 'ROLLBACK', 'conn': 'database/sql connection'}
CLOCK = 256  # ns, in which the times of a trace are rounded
DRIVER = {'query', 'exec', 'begin', 'commit', 'rollback'}


def main():
    wrong, counted, rows_closed = [], collections.Counter(), 0
    with open(sys.argv[1], encoding='utf-8') as lines:
        for line in lines:
            found = re.match(r'counted (\w+) (true|false) (\d+) ?(.*)$', line)
            if found and found[1] in DRIVER:
                counted[found[1], found[2] == 'true', FORMS.get(found[4], found[4])] += int(found[3])
            elif found and found[1] == 'rows':
                rows_closed = int(found[3])
    seen, beside = collections.Counter(), []
    regions, judged, last = collections.defaultdict(list), {}, {}
    waits, rows, raw = [], [], ''
    with open(sys.argv[2], encoding='utf-8') as lines:
        for line in lines:
            raw += line
            event = json.loads(line)
            g, kind = event.get('g'), event['event']
            if kind == 'UserRegionBegin':
                regions[g].append((event['type'], event['time']))
            elif kind == 'UserRegionEnd':
                name, begun = regions[g].pop()
                if name != event['type']:
                    wrong.append(f'the region {name} ends as {event["type"]}')
                log = last.pop(g, None)
                if not log or abs(log['ns'] - event['time'] + begun) > CLOCK:
                    wrong.append(f'{name}: {log} of {event["ts"] - begun} ns')
                elif name != NAMES.get(log['op'], log.get('query')):
                    wrong.append(f'the region {name} is {log}')
            elif kind == 'UserTaskBegin' and event['type'].startswith('judge '):
                judged[event['task']] = [event['time'], g, 0]
            elif kind == 'UserTaskEnd' and event['task'] in judged:
                begun, _, inside = judged.pop(event['task'])
                beside.append(event['time'] - begun - inside)
            elif kind == 'UserLog' and event['category'] == 'gotap.sql':
                log = dict(word.split('=', 1) for word in shlex.split(event['message']))
                log['ns'] = int(log['ns'])
                if log['op'] == 'rows':
                    rows.append(log['query'])
                    continue
                last[g] = log
                if ('boom' in log.get('query', '')) != (log.get('end') == 'panic'):
                    wrong.append(f'the end of {log}')
                if log['op'] == 'conn':
                    waits.append(log['ns'])
                else:
                    seen[log['op'], 'error' in log, log.get('query', '')] += 1
                # a prepared statement asks for its connection within the call, whose time has that of the wait
                for task in judged.values():
                    if task[1] == g and len(regions[g]) == 1 and log['op'] in ('conn', 'query', 'exec'):
                        task[2] += log['ns']
    for kind in sorted(set(counted) | set(seen)):
        if counted[kind] != seen[kind]:
            wrong.append(f'{kind}: {seen[kind]} in the trace, {counted[kind]} counted')
    if len(rows) != rows_closed:
        wrong.append(f'{len(rows)} rows were closed, {rows_closed} counted')
    if 'SELECT a FROM open' in rows:
        wrong.append('rows that are open were closed')
    if 'secret' in raw:
        wrong.append('a literal')
    # one of the two goroutines that share a connection waits for the other one, which keeps it for 2 ms from then on
    slow = counted['query', False, 'SELECT slow FROM one'] // 2
    if sum(ns > 1000000 for ns in waits) < slow:
        wrong.append(f'{sum(ns > 1000000 for ns in waits)} long waits for a connection, {slow} at least')
    if not beside or min(beside) < 0:
        wrong.append(f'calls and the tasks around them differ: {sorted(beside)}')
    for text, count in collections.Counter(wrong).most_common(20):
        print(f'{count} times: {text}')
    print(f'{sum(seen.values())} calls in the trace, {sum(counted.values())} counted; '
          f'{statistics.median(beside or [0]):.0f} ns beside them at the median')
    return 1 if wrong or not counted else 0


if __name__ == '__main__':
    sys.exit(main())
