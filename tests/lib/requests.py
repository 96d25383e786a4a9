#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requests.py SERVED EVENTS MINOR

Compares the requests in a trace (EVENTS: gotap text --events --json) with those that the program tests/prog/requests.go
has counted itself (SERVED: its output; MINOR: the NN of its Go 1.NN): how many of each kind, and each one's name, status,
bytes and end. Each request is a task with one region in one goroutine. Prints what differs; status 1 then.
"""

import collections
import json
import re
import shlex
import sys

# status, bytes, end by path; where HTTP/2 differs, the second row. Of /late the inner handler can win the race.
RESULT = {
    '/plain': [('200', '5', None)],
    '/status/x': [('418', '0', None)],
    '/panic': [(None, '0', 'panic')],
    '/abort': [(None, '0', 'panic')],
    '/goexit': [(None, '0', 'panic')],
    '/hijack': [(None, None, 'hijacked'), ('501', '0', None)],
    '/stream': [('200', '21', None)],
    '/children': [('200', '4', None)],
    '/late': [('503', '4', None), ('200', '0', None)],
    '/long': [('200', '0', None)],
    '/nosuch': [('404', '19', None)],
    '/with space': [('404', '19', None)],
}
ROUTE = {'/status/x': '/status/', '/nosuch': None, '/with space': None}
# the handlers, which the names have where no pattern is known; /long writes nothing
HANDLER = {
    '/plain': '.handlers.func1',
    '/status/x': '.handlers.func2',
    '/panic': '.handlers.func3',
    '/abort': '.handlers.func4',
    '/goexit': '.handlers.func5',
    '/hijack': '.hijack',
    '/stream': '.stream',
    '/children': '.children',
    '/late': 'net/http.(*timeoutHandler).ServeHTTP',
    '/long': 'net/http',
    '/nosuch': 'net/http.NotFound',
    '/with space': 'net/http.NotFound',
}
PATTERNS_SINCE = 22
CALLS = (1 << 62) + (1 << 61)  # tasks above are those of the clients


def expected_name(path, minor):
    route = ROUTE.get(path, path) if minor >= PATTERNS_SINCE else None
    handler = HANDLER[path]
    return 'GET ' + (route or ('main' + handler if handler.startswith('.') else handler))


def fields(message):
    return dict(word.split('=', 1) for word in shlex.split(message))


def main():
    served, clients, wrong = {}, collections.Counter(), []
    with open(sys.argv[1], encoding='utf-8') as lines:
        for line in lines:
            found = re.match(r'served (h\d) ("[^"]*") (\d+)', line)
            if found:
                served[found[1], json.loads(found[2])] = int(found[3])
            found = re.match(r'client ("[^"]*") ("[^"]*") (\d+)', line)
            if found:
                clients[json.loads(found[1]), json.loads(found[2])] = int(found[3])
    minor = int(sys.argv[3])
    tasks = collections.defaultdict(list)
    with open(sys.argv[2], encoding='utf-8') as lines:
        for line in lines:
            event = json.loads(line)
            if event['event'].startswith('User') and 1 << 62 < event.get('task', 0) <= CALLS and \
               not event.get('type', '').startswith('child of '):
                tasks[event['task']].append(event)
    seen = collections.Counter()
    for task, events in tasks.items():
        kinds = [event['event'] for event in events]
        if kinds != ['UserTaskBegin', 'UserRegionBegin', 'UserLog', 'UserRegionEnd', 'UserTaskEnd']:
            wrong.append(f'task {task}: {kinds}')
            continue
        if len({event['g'] for event in events}) != 1:
            wrong.append(f'task {task} is in several goroutines')
        log = fields(events[2]['message'])
        proto = log.get('proto', 'h1')
        seen[proto, log['path']] += 1
        clients[log.get('remote'), log.get('traceparent', '')] -= 1
        rows = RESULT[log['path']]
        allowed = rows if log['path'] == '/late' else rows[-1:] if proto == 'h2' else rows[:1]
        result = log.get('status'), log.get('bytes'), log.get('end')
        if result not in allowed:
            wrong.append(f'{proto} {log["path"]}: {result} instead of {allowed}')
        # a request that outlives a generation has its route in the log event
        names = {events[0]['type'], events[1]['type'], events[3]['type']}
        want = expected_name(log['path'], minor)
        if names != {want} and (names != {'GET net/http'} or log.get('route') != want):
            wrong.append(f'{proto} {log["path"]}: names {names}')
    wrong += [f'a client {client}: {-count} too many' for client, count in clients.items() if count]
    for kind in sorted(set(served) | set(seen)):
        if served.get(kind, 0) != seen[kind]:
            wrong.append(f'{kind}: {seen[kind]} in the trace, {served.get(kind, 0)} served')
    for text, count in collections.Counter(wrong).most_common(20):
        print(f'{count} times: {text}')
    print(f'{sum(seen.values())} requests in the trace, {sum(served.values())} served')
    return 1 if wrong or not served else 0


if __name__ == '__main__':
    sys.exit(main())
