#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""grpc.py COUNTS EVENTS [medians | unended]

Compares the calls in a trace (EVENTS: gotap text --events --json) with those that the program tests/grpc/calls.go has
counted itself (COUNTS: its output): how many of each side, transport, method and status,
the kind of each, and that the call that a served call makes has it as its parent. Prints what differs; status 1 then.
medians: also prints for each side and method how far the median duration is from that of the handler. unended: a handler
that exits its goroutine leaves a call without an end, as nothing that gotap probes runs then.
"""

import collections
import json
import re
import shlex
import statistics
import sys

STREAMS = {'Down', 'Up', 'Both', 'Breaks', 'Cancelled', 'GoneStream'}
# Nobody handles these: the handler of package grpc does not see them on the server's side.
UNHANDLED = {'/test.Calls/None', '/test.None/None'}
# Its handler never writes a status, which the stats.Handler of package grpc calls OK. Package grpc itself does, if the
# deadline of the call comes before the handler does.
NO_STATUS = '/test.Calls/Exits'


def counted(path):
    counts, medians = collections.Counter(), {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            words = line.split()
            if words[0] == 'served' and words[2:4] == [NO_STATUS, 'OK']:
                words[3] = '-'
            if words[0] == 'served':
                counts['server', words[1], words[2], words[3]] += int(words[4])
            elif words[0] == 'called':
                counts['client', '', words[1], words[2]] += int(words[3])
            elif words[0] == 'median':
                medians[tuple(words[1:-1])] = int(words[-1])
    return counts, medians


def fields(message):
    return dict(word.split('=', 1) for word in shlex.split(message))


def tasks_of(path):
    tasks = collections.defaultdict(list)
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            event = json.loads(line)
            if event['event'].startswith('User') and event.get('task', 0) > 1 << 62:
                tasks[event['task']].append(event)
    return tasks


def shape_is_right(log, kinds, events):
    """A call is a task with a region in one goroutine; a stream that the program opens may end in another one."""
    if log['side'] == 'client' and log['kind'] == 'stream':
        return kinds == ['UserTaskBegin', 'UserLog', 'UserTaskEnd']
    return kinds == ['UserTaskBegin', 'UserRegionBegin', 'UserLog', 'UserRegionEnd', 'UserTaskEnd'] and \
        len({event['g'] for event in events}) == 1


def main():
    counts, medians = counted(sys.argv[1])
    tasks, seen, wrong = tasks_of(sys.argv[2]), collections.Counter(), []
    took = collections.defaultdict(list)
    names = {task: events[0].get('type') for task, events in tasks.items()}
    unanswered = 0
    for task, events in tasks.items():
        kinds = [event['event'] for event in events]
        logs = [event for event in events if event['event'] == 'UserLog']
        if not logs and sys.argv[3:] == ['unended'] and names[task] == NO_STATUS:
            seen['server', '?', NO_STATUS, '-'] += 1
            continue
        if not logs:
            wrong.append(f'task {names[task]}: {kinds}')
            continue
        log = fields(logs[0]['message'])
        if not shape_is_right(log, kinds, events):
            wrong.append(f'task {names[task]}: {kinds}')
        name = re.sub('^call ', '', names[task])
        if (name != names[task]) != (log['side'] == 'client'):
            wrong.append(f'{log["side"]}: {names[task]}')
        transport = log.get('via', 'own') if log['side'] == 'server' else ''
        short = name.rsplit('/', 1)[1]
        if 'kind' in log and (log['kind'] == 'stream') != (short in STREAMS):
            wrong.append(f'{name} is a {log["kind"]}')
        if log.get('code') == '0' and 'error' in log or log.get('code', '0') != '0' and 'error' not in log:
            wrong.append(f'{name}: {log}')
        if name == '/test.Calls/Chain' and log['side'] == 'server':
            inner = [t for t, e in tasks.items() if e[0].get('parent') == task]
            if [names[t] for t in inner] != ['call /test.Calls/Fine']:
                wrong.append(f'{name} has {[names[t] for t in inner]}')
        if log['side'] == 'server' and name in UNHANDLED:
            unanswered += 1
            if log.get('status') != 'Unimplemented' or 'kind' in log:
                wrong.append(f'{name}: {log}')
            continue
        # without a status the transport is not known
        if log['side'] == 'server' and 'status' not in log:
            transport = '?'
        seen[log['side'], transport, name, log.get('status', '-')] += 1
        took[(('served', transport) if log['side'] == 'server' else ('called',)) + (name,)].append(
            events[-1]['time'] - events[0]['time'])
    for key in [key for key in counts if key[3] == '-']:
        counts[key[0], '?', key[2], '-'] += counts.pop(key)
    for key in sorted(set(counts) | set(seen)):
        if counts[key] != seen[key]:
            wrong.append(f'{key}: {seen[key]} in the trace, {counts[key]} counted')
    expected = sum(n for key, n in counts.items() if key[0] == 'client' and key[2] in UNHANDLED)
    if unanswered != expected:
        wrong.append(f'{unanswered} calls of methods that nobody handles, {expected} made')
    if sys.argv[3:] == ['medians']:
        for key in sorted(took):
            if key in medians:
                mine = statistics.median_high(took[key])
                print(' '.join(key), f'{mine} {medians[key]} {mine - medians[key]:+}')
    for text, count in collections.Counter(wrong).most_common(20):
        print(f'{count} times: {text}')
    print(f'{sum(seen.values()) + unanswered} calls in the trace, {sum(counts.values())} counted')
    return 1 if wrong or not counts else 0


if __name__ == '__main__':
    sys.exit(main())
