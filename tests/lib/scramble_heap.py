# SPDX-License-Identifier: Apache-2.0
"""scramble_heap.py PID MHEAP SEED: overwrites words of a stopped process at random: in runtime.mheap_ (at address MHEAP), in
its spans, and in the first megabyte of each mapping that it can write; with wild pointers, addresses of other words, and huge
numbers."""
import random
import re
import struct
import sys

pid, mheap, seed = int(sys.argv[1]), int(sys.argv[2], 16), int(sys.argv[3])
random.seed(seed)
mem = open('/proc/%d/mem' % pid, 'r+b', buffering=0)
ranges = [(mheap, mheap + 70000)]
for line in open('/proc/%d/maps' % pid):
    m = re.match(r'([0-9a-f]+)-([0-9a-f]+) rw', line)
    if m and '[stack]' not in line:
        start, end = int(m[1], 16), int(m[2], 16)
        ranges.append((start, min(end, start + (1 << 20))))


def place():
    start, end = random.choice(ranges)
    return start + random.randrange((end - start) // 8) * 8


def value():
    return random.choice([0, 1, 8, (1 << 64) - 1, 1 << 46, random.getrandbits(64), random.getrandbits(47), place(), place(),
                          random.getrandbits(20)])


for _ in range(2000 * seed):
    at = place()
    try:
        mem.seek(at)
        mem.write(struct.pack('<Q', value()))
    except OSError:
        pass
