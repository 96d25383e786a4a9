#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_allocs.py EVENTS PROFILE REPORT [STATS [grown]]: judges sampled allocations of a recording of tests/prog/allocates.go.

EVENTS (gotap text --events --json): the samples of main.works, and the ends of these, by their size and stack, must be those
of PROFILE, what the program itself wrote later (pprof.Lookup("allocs"), debug=1), with equal counts. Each has the type
that the source has at its place. STATS: lines of runtime.MemStats before and after: the bytes that were allocated between
them must be those of REPORT (gotap report --json) within five standard errors; without STATS that is not compared. No
lifetime is longer than the number of collections. With "grown" the callers in a stack that has grown are missing (arm64 up
to Go 1.20): a stack may be the beginning of the profile's."""

import collections
import json
import re
import sys

RECORD = re.compile(r'(-?\d+): (-?\d+) \[(\d+): (\d+)\] @')
FRAME = re.compile(r'#\t0x[0-9a-f]+\t(\S+)\+0x[0-9a-f]+\t+(\S+:\d+)')
ROOTS = ('runtime.main', 'runtime.goexit')
# A function of the runtime by the name of another package, which some releases leave out of their profiles.
MAKE = 'internal/bytealg.MakeNoZero'
# What the source says, by the function that allocates for main.works.
TYPES = {'main.keeps': {'[512]uint8', '[]*[512]uint8'}, 'main.drops': {'[]uint8'}, 'main.chains': {'main.leaf'},
         'main.grows': {'[]int'}, 'main.texts': {'string'}, 'main.maps': {'map[int]string'}, 'main.boxes': {'[100]int'},
         'main.channels': {'chan [100]int'}, 'strings.(*Builder).grow': {'[]uint8'}, 'internal/bytealg.MakeNoZero': {'[]uint8'}}


def of_works(frames):
    return any(function == 'main.works' for function, _ in frames)


def plain(frames):
    return tuple(frames[1:] if frames[0][0] == MAKE else frames)


def of_program(path):
    """({(size, frames): allocations}, {(size, frames): ends}), of the program's own profile."""
    allocs, frees, last = collections.Counter(), collections.Counter(), None
    found = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = RECORD.match(line)
            if match:
                found.append((tuple(map(int, match.groups())), []))
            match = FRAME.match(re.sub(r'[ \t]+', '\t', line))
            if match and found and match.group(1) not in ROOTS:
                found[-1][1].append(match.groups())
    for (live, _, count, size), frames in found:
        if count and of_works(frames):
            last = (size // count, plain(frames))
            allocs[last] += count
            frees[last] += count - live
    return allocs, +frees


def whole(key, ours, own):
    """The key of the profile whose stack begins as this one; of several the one of which events are left."""
    found = [o for o in own if o[0] == key[0] and o[1][:len(key[1])] == key[1]]
    return next((o for o in found if ours[o] < own[o]), found[0] if found else key)


def of_trace(path, own_allocs, own_frees, grown):
    allocs, frees, faults, longest = collections.Counter(), collections.Counter(), [], 0
    collections_begun = internal = 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            event = json.loads(line)
            collections_begun += event.get('event') == 'GCBegin'
            if event.get('category') not in ('gotap.alloc', 'gotap.free'):
                continue
            frames = tuple((frame['func'], f"{frame['file']}:{frame['line']}") for frame in event.get('stack', []))
            if not frames:
                continue
            fields = dict(pair.split('=', 1) for pair in event['message'].split(' type=')[0].split())
            kind = event['message'].partition(' type=')[2]
            key = (int(fields['size']), plain(frames))
            ours, own = (allocs, own_allocs) if event['category'] == 'gotap.alloc' else (frees, own_frees)
            if grown and key not in own:
                key = whole(key, ours, own)
            if not of_works(key[1]):
                continue
            # The runtime allocates for itself amid an allocation. Its own profile has that without the program's functions
            # if it was on the system stack, and with them if not: the channel of gcBgMarkStartWorkers(). That one may end in
            # the collection that begins there, so that it has no collections.
            if not kind and internal < 5:
                internal += 1
                if own[key]:
                    ours[key] += 1
                continue
            if kind not in TYPES[frames[0][0]]:
                faults.append(f'type {kind!r} at {frames[0]}')
            ours[key] += 1
            if ours is frees:
                longest = max(longest, int(fields['collections']))
    if longest > collections_begun or (frees and not longest):
        faults.append(f'a lifetime of {longest} of {collections_begun} collections')
    return allocs, frees, faults


def compared(what, ours, own):
    return [f'{what}: {ours[key]} events, {own[key]} by the program: {key}' for key in sorted(set(ours) | set(own))
            if ours[key] != own[key]]


def main():
    own_allocs, own_frees = of_program(sys.argv[2])
    allocs, frees, faults = of_trace(sys.argv[1], own_allocs, own_frees, sys.argv[5:] == ['grown'])
    faults += compared('allocated', allocs, own_allocs) + compared('freed', frees, own_frees)
    with open(sys.argv[3], encoding='utf-8') as file:
        report = json.load(file)['allocations']
    bytes_allocated = 'unknown'
    if len(sys.argv) > 4:
        with open(sys.argv[4], encoding='utf-8') as file:
            before, after = (int(line.split()[0]) for line in file)
        bytes_allocated = after - before
        if abs(report['bytes'] - bytes_allocated) > 5 * report['bytes_error'] / 1.96 + 65536:
            faults.append(f"{report['bytes']} bytes by samples, {bytes_allocated} by MemStats, error {report['bytes_error']}")
    for fault in faults[:10]:
        print(fault)
    print(f'{sum(allocs.values())} samples, {sum(frees.values())} ends, {len(allocs)} sizes and stacks; '
          f"{report['bytes']} bytes, {bytes_allocated} by MemStats; {len(faults)} faults")
    return 1 if faults or len(allocs) < 8 else 0


sys.exit(main())
