#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""story.py >TEXT: a trace in the text form (docs/text.md), for tests/html.bats: eight goroutines wait for a lock that
another one holds, again and again; a ninth has waited for the network since before the trace, which shows only in its
stack, and a tenth lives for a short time. Names of the program contain HTML, which a page must not take for its own, and
one is long."""

EVIL = r'main.</script><img src=x onerror=\"window.hurt=1\"><b>'
LONG = "github.com/example/a-long-name-of-a-project/internal/storage.(*Reader).readUntilClosed"
ROUNDS, WAITERS, HOLD = 40, 8, 9_000_000
SHORT = 30  # a goroutine that lives in round 20 alone
NOBODY = 2 ** 64 - 1


def varint(v):
    return max(1, (v.bit_length() + 6) // 7)


def size(line):
    """Bytes of a line in a batch: a type, if it is no part of the one before, and numbers."""
    if line.startswith("\tdata="):
        n = len(line[7:-1].replace('\\"', '"'))
        return varint(n) + n
    return (0 if line.startswith("\t") else 1) + sum(varint(int(field.split("=")[1])) for field in line.split() if "=" in field)


def batch(m, time, lines):
    return [f"EventBatch gen=1 m={m} time={time} size={sum(map(size, lines))}", *lines]


def strings(table):
    return ["Strings"] + [line for number, text in table.items() for line in (f"String id={number}", f'\tdata="{text}"')]


def events():
    yield "ProcStatus dt=1 p=0 pstatus=1"
    yield "GoStatus dt=1 g=1 m=7 gstatus=2"
    yield f"GoStatusStack dt=1 g=9 m={NOBODY} gstatus=4 stack=5"
    for g in range(WAITERS):
        yield f"GoCreate dt=100 new_g={10 + g} new_stack=4 stack=3"
    yield "GoBlock dt=100 reason_string=2 stack=3"
    seq = {1: 0}
    for r in range(ROUNDS):
        for g in range(10, 10 + WAITERS):
            yield f"GoStart dt=200 g={g} g_seq={seq.get(g, 0) + 1}"
            seq[g] = seq.get(g, 0) + 1
            if r == 0 and g == 10:
                yield "UserTaskBegin dt=10 task=3 parent_task=0 name_string=6 stack=1"
                yield "UserRegionBegin dt=10 task=3 name_string=6 stack=1"
                yield "UserLog dt=10 task=3 key_string=6 value_string=6 stack=1"
                yield "UserRegionEnd dt=10 task=3 name_string=6 stack=1"
                yield "UserTaskEnd dt=10 task=3 stack=1"
            yield "GoBlock dt=300 reason_string=1 stack=1"
        seq[1] += 1
        yield f"GoUnblock dt=0 g=1 g_seq={seq[1]} stack=0"
        seq[1] += 1
        yield f"GoStart dt=100 g=1 g_seq={seq[1]}"
        if r == 20:
            yield f"GoCreate dt=10 new_g={SHORT} new_stack=4 stack=2"
        for g in range(10, 10 + WAITERS):
            seq[g] += 1
            yield f"GoUnblock dt={HOLD // WAITERS} g={g} g_seq={seq[g]} stack=2"
        yield "GoBlock dt=100 reason_string=2 stack=3"
        if r == 20:
            yield f"GoStart dt=10 g={SHORT} g_seq=1"
            yield "GoDestroy dt=10"


TABLE = {1: "sync", 2: "sleep", 6: EVIL, 10: "sync.(*Mutex).Lock", 11: "sync.(*Mutex).Unlock", 12: "main.worker", 13: "main.holder", 14: EVIL,
         15: "main.main", 16: "time.Sleep", 17: "internal/poll.runtime_pollWait", 18: LONG, 20: "/src/sync/mutex.go", 21: "/app/</style><script>window.hurt=2</script>.go", 22: "/app/main.go"}
STACKS = {1: [(4096, 10, 20, 46), (4200, 14, 21, 12), (4300, 12, 22, 30)], 2: [(4400, 11, 20, 65), (4500, 13, 22, 77), (4600, 15, 22, 90)],
          3: [(4700, 16, 20, 300), (4500, 13, 22, 70), (4600, 15, 22, 90)], 4: [(4300, 12, 22, 28)],
          5: [(4800, 17, 20, 350), (4900, 18, 22, 50)]}

stacks = ["Stacks"]
for number, frames in STACKS.items():
    stacks.append(f"Stack id={number} nframes={len(frames)}")
    stacks += [f"\tpc={pc} func={func} file={file} line={line}" for pc, func, file, line in frames]
print("\n".join(["Trace Go1.26", *batch(NOBODY, 1000, ["Sync", "Frequency freq=1000000000", "ClockSnapshot dt=1 mono=1001 sec=1700000001 nsec=5"]),
                 *batch(7, 2000, list(events())), *batch(NOBODY, 1000, stacks), *batch(NOBODY, 1000, strings(TABLE)), "EndOfGeneration"]))
