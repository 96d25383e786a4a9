#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calls.py JUDGED EVENTS

Compares the outgoing requests in a trace (EVENTS: gotap text --events --json) with what tests/prog/calls.go knows of each one
(JUDGED: its output), by host and path. Prints what differs; status 1 then.
"""

import collections
import json
import shlex
import statistics
import sys

CALLS = (1 << 62) + (1 << 61)
CLOCK = 256  # ns, in which the times of a trace are rounded


def fields(message):
    return dict(word.split('=', 1) for word in shlex.split(message))


def read_judged(name):
    with open(name, encoding='utf-8') as lines:
        judged = [json.loads(line) for line in lines if line.startswith('{')]
    return {(call['host'], call['path']): call for call in judged}, len(judged)


def read_trace(name, wrong):
    """Returns the calls by host and path, and the dials and handshakes."""
    tasks, regions, open_regions = collections.defaultdict(list), collections.Counter(), collections.defaultdict(list)
    with open(name, encoding='utf-8') as lines:
        for line in lines:
            event = json.loads(line)
            kind, g = event['event'], event.get('g')
            if kind.startswith('User') and event.get('task', 0) > CALLS:
                tasks[event['task']].append(event)
            elif kind == 'UserRegionBegin':
                open_regions[g].append((event['type'], event['time']))
            elif kind == 'UserRegionEnd' and open_regions[g]:
                what, begun = open_regions[g].pop()
                regions[what.split(' ')[0], event['time'] > begun] += 1
    calls = {}
    for task, events in tasks.items():
        # the end of a body comes when it has been read, after the round trip
        body = [e for e in events if e['event'] == 'UserLog' and e['message'].startswith('body=')]
        events = [e for e in events if e not in body]
        kinds = [event['event'] for event in events]
        if kinds != ['UserTaskBegin', 'UserRegionBegin', 'UserLog', 'UserRegionEnd', 'UserTaskEnd']:
            wrong.append(f'task {task}: {kinds}')
            continue
        if len({event['g'] for event in events}) != 1 or len({e['type'] for e in events if 'type' in e}) != 1:
            wrong.append(f'task {task}: several goroutines or names')
        log = fields(events[2]['message'])
        log['name'] = events[0]['type']
        log['bodies'] = [int(fields(e['message'])['body']) for e in body]
        if abs(int(log['ns']) - events[3]['time'] + events[1]['time']) > CLOCK:
            wrong.append(f'task {task}: {log["ns"]} ns in its log')
        key = log['name'].split(' ')[-1], log['path']
        if key in calls:
            wrong.append(f'{key} is there twice')
        calls[key] = log
    return calls, regions


def compare(path, call, log, wrong, beside):
    def differ(what, mine, its):
        if mine != its:
            wrong.append(f'{path.rsplit("/", 1)[0]}: {what} {mine} instead of {its}')

    differ('name', log['name'], f'{call["method"]} {call["host"]}')
    differ('status', int(log.get('status', 0)), call['status'])
    if call['all'] < 0:
        return
    differ('error', 'error' in log, call['failed'])
    if call['all'] < int(log['ns']):
        wrong.append(f'{path}: it took {log["ns"]} ns, and {call["all"]} in the program')
    beside['all'].append(call['all'] - int(log['ns']))
    h1 = call['got'] and not call['h2']
    if h1:
        if not call['failed']:
            differ('reused', log.get('reused') == '1', call['reused'])
        differ('TLS', 'tls' in log, call['tls'] > 0)
    # each of gotap's begins before httptrace's, or after it where gotap's has to be the shorter one, and so for the ends
    if call['got'] and not call['failed'] and 'conn_wait' in log:
        beside['conn'].append(int(log['conn_wait']) - call['conn'])
    if h1 and not call['failed']:
        beside['first'].append(call['first'] - int(log['first_byte']))
        if not call['reused'] and call['dial'] and 'dial' in log:
            beside['dial'].append(int(log['dial']) - call['dial'] - call['tls'])
        if call['tls']:
            beside['tls'].append(int(log['tls']) - call['tls'])
    if h1 and not call['failed']:
        differ('bodies', len(log['bodies']), call['body'])


def main():
    wrong, beside = [], collections.defaultdict(list)
    judged, count = read_judged(sys.argv[1])
    calls, regions = read_trace(sys.argv[2], wrong)
    if len(judged) != count:
        wrong.append('two requests have one path')
    for key in sorted(set(judged) | set(calls)):
        if key not in calls or key not in judged:
            wrong.append(f'{key[1].rsplit("/", 1)[0]}: only {"judged" if key in judged else "in the trace"}')
        else:
            compare(key[1], judged[key], calls[key], wrong, beside)
    for what, differences in beside.items():
        if min(differences) < 0:
            wrong.append(f'{what}: {sorted(differences)[:5]} ns beside httptrace')
    if regions['dial', True] < count / 20 or not regions['TLS', True] or regions['dial', False]:
        wrong.append(f'regions: {dict(regions)}')
    for text, n in collections.Counter(wrong).most_common(20):
        print(f'{n} times: {text}')
    medians = ', '.join(f'{what} {statistics.median(d):.0f}' for what, d in beside.items())
    print(f'{len(calls)} calls in the trace, {count} judged; ns beside httptrace at the median: {medians}')
    return 1 if wrong or not count else 0


if __name__ == '__main__':
    sys.exit(main())
