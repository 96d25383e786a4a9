# SPDX-License-Identifier: Apache-2.0
"""scramble.py PID ALLGS SEED: overwrites words of a stopped process at random: in its goroutines' descriptors, in their
stacks, in the list of them; with wild pointers, pointers to each other, and huge numbers. ALLGS: address of runtime.allgs."""
import os
import random
import struct
import sys

pid, allgs, seed = int(sys.argv[1]), int(sys.argv[2], 16), int(sys.argv[3])
random.seed(seed)
mem = open('/proc/%d/mem' % pid, 'r+b', buffering=0)


def words(at, n):
    mem.seek(at)
    return struct.unpack('<%dQ' % n, mem.read(8 * n))


def put(at, value):
    mem.seek(at)
    mem.write(struct.pack('<Q', value))


array, n, _ = words(allgs, 3)
gs = words(array, n)
ends = words(gs[5], 2)


def value():
    return random.choice([0, 1, 8, (1 << 64) - 1, 1 << 46, random.getrandbits(64), random.getrandbits(47), array,
                          random.choice(gs), ends[0], ends[1], 0x400000 + random.getrandbits(20)])


def in_g():
    return random.choice(gs) + 8 * random.randrange(50)


def in_stack():
    lo, hi = words(random.choice(gs), 2)
    return lo + 8 * random.randrange((hi - lo) // 8)


def in_list():
    return array + 8 * random.randrange(n)


def in_header():
    return allgs + 8 * random.randrange(3)


place = [in_g, in_stack, in_list, in_g, in_header][seed % 5]
for _ in range(1 if place is in_header else random.choice([1, 10, 100, 1000])):
    try:
        put(place(), value())
    except (OSError, ValueError, struct.error, OverflowError):
        pass
