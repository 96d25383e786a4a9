#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_heap.py KIND OURS OWN: compares two profiles in the form of debug=1 (gotap heap --records, and the program's own).

heap: each record of ours is in the program's own with equal counts, bytes and addresses; the own one may have records
more with no object published (those that writing it has added). block, mutex: the same by counts and functions with
lines, as the own one shows inlined calls as addresses of their own from Go 1.23 on. Both grow when the program is woken
to write its own: each stack of ours must be in the own one, with at least its count."""

import collections
import re
import sys

RECORD = {'heap': re.compile(r'(-?\d+): (-?\d+) \[(\d+): (\d+)\] @(.*)'),
          'block': re.compile(r'(\d+) (\d+) @(.*)'), 'mutex': re.compile(r'(\d+) (\d+) @(.*)')}
WRAPPER = re.compile(r'\.gowrap\d+$')   # made by the compiler for a go statement; gotap leaves it out
FRAME = re.compile(r'#\t0x[0-9a-f]+\t(\S+)\+0x[0-9a-f]+\t+(\S+:\d+)')


def records(kind, path):
    """[(counts, addresses, frames)]"""
    found = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = RECORD[kind].match(line)
            if match:
                found.append((tuple(map(int, match.groups()[:-1])), match.groups()[-1].strip(), []))
            match = FRAME.match(re.sub(r'[ \t]+', '\t', line))
            if match and found and not WRAPPER.search(match.group(1)):
                found[-1][2].append(match.groups())
    return [(counts, addresses, tuple(frames)) for counts, addresses, frames in found]


def main():
    kind, ours, own = sys.argv[1], records(sys.argv[1], sys.argv[2]), records(sys.argv[1], sys.argv[3])
    faults = []
    if kind == 'heap':
        a, b = collections.Counter(ours), collections.Counter(own)
        faults += [f'not in the own profile: {record}' for record in a - b]
        faults += [f'missing: {record}' for record in b - a if any(record[0])]
    else:
        most = collections.defaultdict(int)
        for counts, _, frames in own:
            most[frames] += counts[1]
        for counts, _, frames in ours:
            if counts[1] > most[frames]:
                faults.append(f'{counts[1]} times, not {most[frames]}: {frames}')
    for fault in faults[:10]:
        print(fault)
    print(f'{kind}: {len(ours)} records, {len(own)} of the program itself, {len(faults)} faults')
    return 1 if faults or not ours else 0


sys.exit(main())
