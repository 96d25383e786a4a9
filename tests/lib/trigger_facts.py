#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does each snapshot have the fact that made a trigger fire? From the events alone (`gotap text --events --json`).

    trigger_facts.py GOTAP SNAPSHOT...

Prints "TRIGGER TIME GOROUTINE" for each snapshot, and a line for each without its fact, and then fails. It shares no
code with gotap's triggers: it replays the whole snapshot up to the time of the fact in the JSON beside it.
"""
import fnmatch
import json
import re
import subprocess
import sys

SLACK = 128  # ns: the events' times are in units of 64


def ns(text):
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]*)", text).groups()
    return float(number) * {"": 1e9, "s": 1e9, "ms": 1e6, "us": 1e3}[unit]


class Stay:
    def __init__(self, state, since, reason="", stack=()):
        self.state, self.since, self.reason, self.stack = state, since, reason, stack


def idle(e, old, starts, before):
    """Does this event make or wake a goroutine by a timer? Then it is idle, as docs/triggers.md has it for hang."""
    if old and old.reason == "preempted":
        return before
    if e["g"]:
        of_runtime = starts.get(e["g"], "").startswith("runtime.") and starts[e["g"]] not in ("runtime.main", "runtime.corostart")
        return before if of_runtime else False
    return not (old and old.reason == "network")


class Replay:
    """The state of the program at a time, from the events up to it."""

    def __init__(self, events, until):
        self.idle, self.starts, self.work = {}, {}, []
        self.go, self.born, self.ranges, self.regions, self.tasks = {}, {}, {}, {}, {}
        self.heap, self.waits = [], []
        self.events = [e for e in events if e["time"] <= until + SLACK]
        for e in self.events:
            if e.get("of") == "goroutine" and e["kind"] == "StateTransition" and e["id"]:
                self.move(e)
            elif e["kind"] == "RangeBegin":
                self.ranges[(e["name"], e["id"])] = e["time"]
            elif e["kind"] == "RangeEnd":
                self.ranges.pop((e["name"], e["id"]), None)
            elif e["kind"] == "RegionBegin":
                self.regions.setdefault(e["g"], []).append((e["type"], e["time"]))
            elif e["kind"] == "RegionEnd" and self.regions.get(e["g"]):
                self.regions[e["g"]].pop()
            elif e["kind"] == "TaskBegin":
                self.tasks[e["task"]] = (e["type"], e["time"])
            elif e["kind"] == "TaskEnd":
                self.tasks.pop(e["task"], None)
            elif e["event"] == "HeapAlloc":
                self.heap.append((e["time"], e["value"]))

    def move(self, e):
        g, to = e["id"], e["to"]
        old = self.go.get(g)
        if old and old.state == to:
            return
        if e["from"] == "NotExist":
            self.born[g] = (e["time"], [f["func"] for f in e.get("new_stack", [])])
            self.starts[g] = self.born[g][1][0] if self.born[g][1] else ""
        if e["event"] in ("GoUnblock", "GoCreate"):
            self.idle[g] = idle(e, old, self.starts, self.idle.get(g, False))
        if old and self.works(g, old):
            self.work.append((old.since or 0, e["time"], g))
        if to == "Running" and old:
            if old.state == "Runnable" and old.since:
                self.waits.append((e["time"], e["time"] - old.since))
        if to == "NotExist":
            self.go.pop(g, None)
            return
        known = e["from"] != "Undetermined"
        self.go[g] = Stay(to, e["time"] if known else None, e.get("reason", ""),
                          [f["func"] for f in e.get("stack", [])])

    def works(self, g, s):
        """The goroutine works: it runs, and not because of a timer; or it is in C code."""
        start = self.starts.get(g, "")
        if self.idle.get(g, False) or start.startswith("runtime.") and start not in ("runtime.main", "runtime.corostart"):
            return False
        return s.state == "Running" or s.state == "Syscall" and "runtime.cgocall" in s.stack

    def worked(self, since, until):
        """The goroutines that worked in that time."""
        still = [(s.since or 0, 1 << 62, g) for g, s in self.go.items() if self.works(g, s)]
        return [g for begin, end, g in self.work + still if begin < until and end > since]


def stay(r, t, limit, g, state):
    s = r.go.get(g)
    assert s and s.state == state, f"goroutine {g} is not {state} but {s and s.state}"
    assert s.since is None or abs(s.since + limit - t) <= SLACK, f"is {state} for {t - s.since} ns"
    return s


def blocked(r, t, limit, g, rest):
    s = stay(r, t, limit, g, "Waiting")
    reason, func = (rest.split(":", 1) + [""])[:2]
    assert not reason or fnmatch.fnmatchcase(s.reason, reason), s.reason
    assert not func or any(fnmatch.fnmatchcase(f, func) for f in s.stack), s.stack


def at(r, t, **want):
    return [e for e in r.events if abs(e["time"] - t) <= SLACK and all(e.get(k) == v for k, v in want.items())]


def begun(found, t, limit, name):
    assert any(fnmatch.fnmatchcase(n, name) and abs(since + limit - t) <= SLACK for n, since in found), found


def of_program(e):
    """Did the program make the event? Else it is no sign that its thread ran: gotap writes statuses and GOMAXPROCS at the begin
    of a generation and notes, of any category of its own, at any time and on any thread; and where no goroutine runs it lets
    goroutine 0, which no program has, begin and end for them."""
    mine = e.get("category", "").split(".")[0] == "gotap" or "Status" in e["event"] or e["event"] == "ProcsChange"
    return not mine and e.get("g") != 0 and not (e.get("of") == "goroutine" and e.get("id") == 0)


def judge(name, what, t, g, thread, r, last):
    word = re.split("[>:]", name)[0]
    rest = name[len(word):]
    if word in ("region", "task", "func"):
        pattern, limit = rest[1:].rsplit(">", 1)
        limit = ns(limit)
    elif word in ("runnable", "syscall", "blocked", "stw", "sched-p99", "hang", "throttled"):
        limit, _, rest = rest[1:].partition(":")
        limit = ns(limit)
    if word == "blocked":
        blocked(r, t, limit, g, rest)
    elif word == "runnable":
        stay(r, t, limit, g, "Runnable")
    elif word == "syscall":
        stay(r, t, limit, g, "Syscall")
    elif word == "stw":
        begun([(n, since) for (n, _), since in r.ranges.items()], t, limit, "stop-the-world*")
    elif word == "region":
        begun(r.regions.get(g, []), t, limit, pattern)
    elif word == "task":
        begun(r.tasks.values(), t, limit, pattern)
    elif word == "func":
        born, start = r.born[g]
        assert g in r.go and abs(born + limit - t) <= SLACK and fnmatch.fnmatchcase(start[0], pattern), (born, start)
    elif word == "gc":
        assert at(r, t, event="GCEnd"), "no end of a cycle"
    elif word == "log":
        pattern = rest[1:]
        assert any(re.search(pattern, f'{e["category"]}: {e["message"]}') for e in at(r, t, event="UserLog"))
    elif word == "goroutines":
        new = [e for e in at(r, t) if e.get("from") == "NotExist" and e["id"] == g]
        limit = int(rest[1:])
        assert new and limit < len(r.go) <= limit + 2, len(r.go)
    elif word == "heap":
        sizes = [v for time, v in r.heap if abs(time - t) <= SLACK]
        limit = int(rest[1:-1]) << 20
        assert any(v > limit for v in sizes), sizes
    elif word == "sched-p99":
        long, n = (int(x) for x in re.search(r"(\d+) of (\d+) waits", what).groups())
        still = [t - s.since for s in r.go.values() if s.state == "Runnable" and s.since]
        found = [w for time, w in r.waits if time > t - 1.2e9] + still
        assert 100 * sum(w > limit for w in found) > len(found) >= n * 0.8, (long, n, len(found))
    elif word == "hang":
        who = r.worked(t - limit + SLACK, t - SLACK)
        assert not who, f"goroutines {who} worked"
    elif word == "throttled":
        ran = [e for e in r.events if e["m"] == thread and t - limit + SLACK < e["time"] < t and of_program(e)]
        assert thread and not ran, f"thread {thread} had {ran[:3]}"
    elif word in ("exit", "crash"):
        # After the last record come only the events that close the trace, a unit of 64 ns apart.
        assert -SLACK <= last - t <= 5000, f"the trace ends {last - t} ns behind it"
    else:
        raise AssertionError(f"no judge of {word}")


def main():
    gotap, bad = sys.argv[1], 0
    for path in sys.argv[2:]:
        about = json.load(open(path + ".json"))["trigger"]
        text = subprocess.run([gotap, "text", "--events", "--json", path], check=True, stdout=subprocess.PIPE).stdout
        events = [json.loads(line) for line in text.splitlines()]
        t, g = about["monotonic_ns"], about.get("goroutine", 0)
        print(about["name"], t, g)
        try:
            last = max(e["time"] for e in events)
            assert last + SLACK >= t, f"it ends {t - last} ns before"
            judge(about["name"], about["what"], t, g, about.get("thread", 0), Replay(events, t), last)
        except (AssertionError, KeyError) as why:
            print(f'{path}: {about["name"]} at {t}, goroutine {g} ({about["what"]}): {why!r}', file=sys.stderr)
            bad += 1
    sys.exit(bad != 0)


main()
