#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/lib/agree.py GOTAP TRACE...

Compares `gotap report` with `gotap why`, ns by ns. The slowest instance of each unit of work that
the report names is asked for again with `gotap why -g G --from T --to T`: both must give each place
the same time, and the times must add up to the interval. The shares of all sentences of the report
must add up to 1. Prints how many instances were compared; the status is 1 after a difference.
"""

import collections
import json
import subprocess
import sys


def answer_of(gotap, *arguments):
    done = subprocess.run([gotap, *arguments, '--json'], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def by_place(parts):
    """The ns of each kind of step at each place."""
    sums = collections.Counter()
    for kind, frame, ns in parts:
        sums[kind, frame.get('function', ''), frame.get('file', ''), frame.get('line', 0)] += ns
    return +sums


def of_report(slowest):
    return by_place((c['kind'], c, c['ns']) for c in slowest['causes'])


def of_why(shown):
    return by_place((c['cause']['kind'], c['cause'].get('at', {}), c['ns'])
                    for c in shown['causes'])


def seconds(ns):
    return f'{ns // 10**9}.{ns % 10**9:09d}'


def compare(gotap, trace, unit):
    """Returns what is wrong, or None."""
    slowest = unit['slowest']
    start, end = slowest['from_ns'], slowest['to_ns']
    why = answer_of(gotap, 'why', trace, '-g', str(slowest['goroutine']), '--from',
                    seconds(start), '--to', seconds(end))
    if why is None:
        return 'why has no answer'
    ours, theirs = of_report(slowest), of_why(why)
    if sum(ours.values()) != end - start:
        return f'the report explains {sum(ours.values())} ns of {end - start}'
    if ours != theirs:
        return f'report {dict(ours - theirs)}, why {dict(theirs - ours)}'
    return None


def faults_of(gotap, trace, counts):
    report = answer_of(gotap, 'report', trace)
    if report is None:
        return
    counts['traces'] += 1
    answer = report['answer']
    shares = sum(s['share'] for s in answer)
    if any(s['kind'] == 'rest' for s in answer) and any(s.get('causes') for s in answer):
        if abs(shares - 1) > 1e-5 * (1 + len(answer)):
            yield f'the shares add up to {shares}'
    for unit in answer:
        if 'goroutine' not in unit.get('slowest', {}):
            continue
        counts['instances'] += 1
        fault = compare(gotap, trace, unit)
        if fault:
            yield f"{unit['unit']}, slowest {unit['slowest']}: {fault}"


def main(gotap, *traces):
    counts, bad = collections.Counter(), 0
    for trace in traces:
        for fault in faults_of(gotap, trace, counts):
            print(f'{trace}: {fault}')
            bad = 1
    print(f"{counts['instances']} instances of {counts['traces']} traces")
    return bad


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
