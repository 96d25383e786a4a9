#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""children.py EVENTS MANY

Compares the regions "child of" in a trace (EVENTS: gotap text --events --json) with what the goroutines of
tests/prog/children.go say themselves, in logs of category truth: for which request they work. No region goes on after its
request, but in a goroutine that did not run at the end of the request: there it ends when the goroutine runs again.
MANY: at least so many goroutines must have been found to be children. Prints what differs; status 1 then.
"""

import collections
import json
import shlex
import sys

STATES = ('GoStart', 'GoUnblock', 'GoSyscallEnd')


def main():
    starts, regions, paths, ends, said, wrong, late = {}, {}, {}, {}, [], [], 0
    last = {}
    with open(sys.argv[1], encoding='utf-8') as lines:
        for line in lines:
            event = json.loads(line)
            kind, g = event['event'], event.get('g')
            if kind.startswith('GoCreate'):
                starts[event['id']] = event['new_stack'][0]['func']
            elif kind == 'UserRegionBegin' and event['type'].startswith('child of '):
                if g in regions:
                    wrong.append('a child of two requests')
                regions[g] = event['task'], event['type']
                if not starts[g].startswith('main.'):
                    wrong.append(f'{starts[g]} is a child')
            elif kind == 'UserRegionEnd' and event['type'].startswith('child of '):
                if regions.pop(g, None) != (event['task'], event['type']):
                    wrong.append('the end of another region')
                if event['task'] in ends:
                    late += 1
                    if not last.get(g, '').startswith(STATES):
                        wrong.append(f'a region ends after its request, and after {last.get(g)}')
            elif kind == 'UserTaskEnd':
                ends[event['task']] = event['time']
            elif kind == 'UserLog' and event['category'] == 'gotap.http':
                log = dict(word.split('=', 1) for word in shlex.split(event['message']))
                paths[event['task']] = log['path']
            elif kind == 'UserLog' and event['category'] == 'truth':
                said.append((event['message'], starts[g], regions.get(g, (0, ''))))
            # a GoStart is of the goroutine that it starts
            last[event.get('id', g) if kind in STATES else g] = kind
    must = 0
    for message, start, (task, name) in said:
        word, _, path = message.partition(' ')
        is_of = paths.get(task)
        if word == 'must' and is_of != path or word == 'may' and is_of not in (path, None) or word == 'none' and task:
            wrong.append(f'{start} says {message}, the trace {is_of}')
        if task and not path.startswith(name[len('child of GET '):].rstrip('/')) and 'net/http' not in name:
            wrong.append(f'{path} is {name}')
        must += word == 'must'
    for text, count in collections.Counter(wrong).most_common(20):
        print(f'{count} times: {text}')
    print(f'{len(said)} said, {must} by children, {late} regions that ended after their request')
    return 1 if wrong or must < int(sys.argv[2]) else 0


if __name__ == '__main__':
    sys.exit(main())
