#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gotrace.py FILE...: reads traces of the format before Go 1.5 by the rules of the parser of that time.

It is written from the description of the format, and shares nothing with gotap. A line for each file, "ok FILE events=N"
or "FAIL FILE: why". The events are in the order of their times alone, and no two of them have one time on different Ps
that the rules could take in either order: that parser sorts them in no stable way.
"""
import sys

NAMES = ["", "Batch", "Frequency", "Stack", "Gomaxprocs", "ProcStart", "ProcStop", "GCStart", "GCDone", "GCScanStart",
         "GCScanDone", "GCSweepStart", "GCSweepDone", "GoCreate", "GoStart", "GoEnd", "GoStop", "GoSched", "GoPreempt",
         "GoSleep", "GoBlock", "GoUnblock", "GoBlockSend", "GoBlockRecv", "GoBlockSelect", "GoBlockSync", "GoBlockCond",
         "GoBlockNet", "GoSysCall", "GoSysExit", "GoSysBlock", "GoWaiting", "GoInSyscall", "HeapAlloc", "NextGC",
         "TimerGoroutine"]
# Numbers of a record: a time unless it is one of the first three or the last, arguments, and a stack.
ARGS = {"Batch": 2, "Frequency": 1, "Gomaxprocs": 1, "GoCreate": 2, "GoStart": 1, "GoUnblock": 1, "GoSysExit": 1,
        "GoWaiting": 1, "GoInSyscall": 1, "HeapAlloc": 1, "NextGC": 1, "TimerGoroutine": 1}
STACKS = {"Gomaxprocs", "GCStart", "GCSweepStart", "GoCreate", "GoStop", "GoSched", "GoPreempt", "GoSleep", "GoBlock",
          "GoUnblock", "GoBlockSend", "GoBlockRecv", "GoBlockSelect", "GoBlockSync", "GoBlockCond", "GoBlockNet",
          "GoSysCall", "GoSysBlock"}
TIMELESS = {"Batch", "Frequency", "TimerGoroutine"}
BLOCKS = {n for n in NAMES if n.startswith("GoBlock")} | {"GoSleep"}
LEAVES = BLOCKS | {"GoEnd", "GoStop", "GoSched", "GoPreempt", "GoSysBlock"}
OF_A_P = {n for n in NAMES if n.startswith(("Proc", "GC", "Heap", "NextGC", "Gomax"))}
RANGES = {"GCStart": "gc", "GCScanStart": "scan", "GCSweepStart": "sweep"}
ENDS = {"GCDone": "gc", "GCScanDone": "scan", "GCSweepDone": "sweep"}


class Bad(Exception):
    pass


def must(true, why):
    if not true:
        raise Bad(why)


def number(data, at):
    value = 0
    for i in range(10):
        must(at + i < len(data), f"cut at {at}")
        value |= (data[at + i] & 0x7f) << 7 * i
        if data[at + i] < 0x80:
            return value & (1 << 64) - 1, at + i + 1
    raise Bad(f"bad value at {at}")


def records(data):
    must(data[:8] == b"gotrace\0", "not a trace file")
    at = 8
    while at < len(data):
        start, kind, count = at, data[at] & 0x3f, data[at] >> 6
        must(0 < kind < len(NAMES), f"unknown event {kind} at {start}")
        at += 1
        values = []
        if count == 3:
            length, at = number(data, at)
            end = at + length
            while at < end:
                value, at = number(data, at)
                values.append(value)
            must(at == end, f"wrong length at {start}")
        else:
            for _ in range(count + 1):
                value, at = number(data, at)
                values.append(value)
        yield NAMES[kind], values


def events(data):
    p = g = ticks = 0
    running, out, frequency, timer, stacks = {}, [], 0, None, set()
    for name, v in records(data):
        if name == "Stack":
            must(len(v) >= 2 and v[1] <= 1000 and len(v) >= 2 + v[1], "bad stack")
            stacks.add(v[0])
            continue
        want = ARGS.get(name, 0) + (name in STACKS) + (name not in TIMELESS)
        must(len(v) == want, f"{name} has {len(v)} numbers, not {want}")
        if name == "Batch":
            running[p] = g
            p, ticks = v
            g = running.get(p, 0)
        elif name == "Frequency":
            frequency = v[0]
            must(frequency > 0, "bad frequency")
        elif name == "TimerGoroutine":
            timer = v[0]
        else:
            ticks += v[0]
            if name == "GoStart":
                g = v[1]
            of = 0 if name.startswith("GC") and "Sweep" not in name else g
            out.append((ticks, p, v[1] if name == "GoSysExit" else of, name, v[1:]))
            if name in LEAVES:
                g = 0
            if name in STACKS and v[-1]:
                must(v[-1] < 1 << 32, "a stack id of more than 32 bits")
    must(out and frequency, "no event, or no frequency")
    out.sort(key=lambda e: e[0])
    for a, b in zip(out, out[1:]):
        # What is of one P alone has no order with events of others.
        apart = a[1] != b[1] and (a[3] in OF_A_P or b[3] in OF_A_P)
        must(a[0] < b[0] or apart, f"two events at tick {a[0]}: {a[3]} and {b[3]}")
    return out, timer


def judge(data):
    states, holds, runs, open_ranges, started = {0: "running"}, {}, set(), set(), set()
    out, timer = events(data)
    for _, p, g, name, args in out:
        state = states.get(g, "dead")
        where = f"{name} of {g} on P {p}"

        def acts():
            must(state == "running" and holds.get(p, 0) == g, f"it does not run: {where}")

        if name == "ProcStart":
            must(p not in runs, where)
            runs.add(p)
        elif name == "ProcStop":
            must(p in runs and not holds.get(p, 0), where)
            runs.remove(p)
        elif name in RANGES:
            must((p, RANGES[name]) not in open_ranges, where)
            open_ranges.add((p, RANGES[name]))
        elif name in ENDS:
            must((p, ENDS[name]) in open_ranges, where)
            open_ranges.remove((p, ENDS[name]))
        elif name == "GoWaiting":
            must(states.get(args[0]) == "runnable", where)
            states[args[0]] = "waiting"
        elif name == "GoCreate":
            acts()
            must(args[0] not in states, where)
            states[args[0]] = "runnable"
        elif name == "GoStart":
            must(state == "runnable" and not holds.get(p, 0), where)
            states[g] = "running"
            holds[p] = g
            started.add(g)
        elif name == "GoUnblock":
            must(state == "running" and (g == timer or holds.get(p, 0) == g), where)
            must(states.get(args[0]) == "waiting", where)
            states[args[0]] = "runnable"
        elif name == "GoSysCall":
            acts()
        elif name == "GoSysExit":
            must(state == "runnable", where)
        elif name in LEAVES:
            acts()
            must(g in started, f"no start: {where}")
            states[g] = ("waiting" if name in BLOCKS else "dead" if name in ("GoEnd", "GoStop") else "runnable")
            holds[p] = 0
    return len(out)


def main():
    status = 0
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            data = f.read()
        try:
            print(f"ok {path} events={judge(data)}")
        except Bad as why:
            status = 1
            print(f"FAIL {path}: {why}")
    sys.exit(status)


main()
