#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""whatif_story.py GOTAP N OUT: a trace of N goroutines of main.handle, one after the other, 10.8 ms each: 1.9 ms of
them run, and main.query sleeps for 8.89 ms, in which the only P is idle. tests/unit/whatif_whatif.c has the same."""
import subprocess
import sys

GOTAP, N, OUT = sys.argv[1], int(sys.argv[2]), sys.argv[3]

STRINGS = {1: "/src/x.go", 2: "main.serve", 3: "main.handle", 4: "main.query", 5: "time.Sleep", 7: "runtime.chanrecv1",
           20: "sleep", 21: "chan receive"}
# id: frames, the leaf first: function, line
STACKS = {1: [(2, 10)], 2: [(5, 1), (4, 44), (3, 30)], 3: [(3, 28)], 5: [(7, 2), (2, 12)]}


def wire(lines):
    text = "Trace Go1.26\n" + "".join(line + "\n" for line in lines)
    run = subprocess.run([GOTAP, "wire", "-", "-o", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return run.stdout[16:]


def batch(thread, lines):
    body = wire(lines)
    return wire([f"EventBatch gen=1 m={thread} time=1000 size={len(body)}"]) + body


def stacks():
    yield "Stacks"
    pc = 0
    for stack, frames in STACKS.items():
        yield f"Stack id={stack} nframes={len(frames)}"
        for func, line in frames:
            pc += 1
            yield f"\tpc={pc} func={func} file=1 line={line}"


def story():
    yield from ("ProcStatus dt=1 p=0 pstatus=1", "GoStatus dt=1 g=1 m=1 gstatus=2", "ProcsChange dt=1 procs_value=1 stack=0")
    for i in range(N):
        g = 10 + i
        yield f"GoCreate dt=10000 new_g={g} new_stack=3 stack=1"
        yield "GoBlock dt=10000 reason_string=21 stack=5"
        yield f"GoStart dt=10000 g={g} g_seq=1"
        yield "GoBlock dt=1000000 reason_string=20 stack=2"
        yield "ProcStop dt=1000"
        yield f"ProcStart dt=8890000 p=0 p_seq={i + 1}"
        yield f"GoUnblock dt=1000 g={g} g_seq=2 stack=0"
        yield f"GoStart dt=9000 g={g} g_seq=3"
        yield f"GoUnblock dt=800000 g=1 g_seq={2 * i + 1} stack=3"
        yield "GoDestroy dt=100000"
        yield f"GoStart dt=10000 g=1 g_seq={2 * i + 2}"


NOBODY = 2**64 - 1
strings = ["Strings"]
for number, text in STRINGS.items():
    strings += [f"String id={number}", f'\tdata="{text}"']
with open(OUT, "wb") as out:
    out.write(b"go 1.26 trace\0\0\0")
    out.write(batch(NOBODY, ["Sync", "Frequency freq=1000000000", "ClockSnapshot dt=0 mono=1000 sec=1700000000 nsec=5"]))
    out.write(batch(NOBODY, strings))
    out.write(batch(NOBODY, list(stacks())))
    out.write(batch(1, list(story())))
    out.write(wire(["EndOfGeneration"]))
