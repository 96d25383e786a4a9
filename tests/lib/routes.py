#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""routes.py SERVED JSON

Compares the routes of `gotap requests --json --slowest 1000` with what tests/prog/requests.go, of Go 1.23 or later with
patterns, has counted itself. Prints what differs; status 1 then.
"""

import collections
import json
import re
import sys

ROUTES = {'/status/x': 'GET /status/', '/nosuch': 'GET net/http.NotFound', '/with space': 'GET net/http.NotFound'}
FAILED = ('/panic', '/abort', '/goexit')


def main():
    served, failed = collections.Counter(), collections.Counter()
    with open(sys.argv[1], encoding='utf-8') as lines:
        for proto, path, count in re.findall(r'served (h\d) "([^"]*)" (\d+)', lines.read()):
            name = ROUTES.get(path, 'GET ' + path)
            served[name] += int(count)
            if path in FAILED or (path == '/hijack' and proto == 'h2'):
                failed[name] += int(count)
    with open(sys.argv[2], encoding='utf-8') as file:
        answer = json.load(file)
    wrong = []
    for route in answer['routes']:
        name = route['name']
        if route['count'] != served.pop(name, 0):
            wrong.append(f'{name}: {route["count"]} requests')
        # the inner handler of a TimeoutHandler can win the race
        if name != 'GET /late' and route['failed'] != failed[name]:
            wrong.append(f'{name}: {route["failed"]} failed instead of {failed[name]}')
        of_route = [q['ns'] for q in answer['slowest'] if q['name'] == name]
        if len(of_route) != route['count'] or sum(of_route) != route['sum_ns'] or max(of_route) != route['max_ns']:
            wrong.append(f'{name}: {len(of_route)} requests of {sum(of_route)} ns')
        if not route['causes'] or route['unattributed'] is None or sum(c['share'] for c in route['causes']) > 1.001:
            wrong.append(f'{name}: no composition')
    wrong += [f'{name}: missing' for name in served]
    slowest = [q['ns'] for q in answer['slowest']]
    if slowest != sorted(slowest, reverse=True):
        wrong.append('the slowest are not in order')
    for text in wrong:
        print(text)
    return bool(wrong) or not slowest


if __name__ == '__main__':
    sys.exit(main())
