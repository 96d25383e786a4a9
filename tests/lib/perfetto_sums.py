#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perfetto_sums.py EVENTS ROWS [EVENTS ROWS]...

Makes ROWS from EVENTS (`gotap text --events --json` of a Go trace) alone: the rows that the queries of perfetto_sums.sql
must give for the Perfetto trace of that Go trace, counts and sums of time, sorted.
"""
import json
import sys
from collections import defaultdict

STATES = {"Runnable": "runnable", "Running": "running", "Waiting": "waiting", "Syscall": "syscall"}
EXECUTING = ("Running", "Syscall")
GAP = "gotap: not recorded"


def text(field):
    """The text up to a NUL, as C has it, on one line."""
    return str(field).split("\0")[0].replace("\t", " ").replace("\n", " ")


class Goroutine:
    def __init__(self, state, reason, since, found):
        self.state, self.reason, self.since, self.found = state, reason, since, found
        self.known = since
        self.p = None  # the P on whose track it has a slice
        self.p_since = None
        self.regions = []


class Sums:
    def __init__(self):
        self.rows = defaultdict(lambda: [0, 0])
        self.goroutines = {}
        self.ps = {}  # P -> goroutine that has it
        self.tasks = {}
        self.ranges = {}
        self.sync = self.last = 0

    def add(self, key, time=0):
        row = self.rows[key]
        row[0] += 1
        row[1] += time

    # --- goroutines ---

    def leave_p(self, g, time):
        if g.p is None:
            return
        self.add(("p", g.p), time - g.p_since)
        del self.ps[g.p]
        g.p = None

    def enter_p(self, g, p, time):
        if g.p == p:
            return
        self.leave_p(g, time)
        if p is not None:
            if p in self.ps:
                self.leave_p(self.ps[p], time)
            g.p, g.p_since = p, time
            self.ps[p] = g

    def end(self, gid, g, time, ev):
        gap = g.state == "Waiting" and g.reason == GAP
        name = g.reason if g.state == "Waiting" and g.reason else STATES[g.state]
        self.add(("state", gid, "gap" if gap else STATES[g.state], name), time - g.since)
        if g.state == "Running" and g.found:
            own = ev and ev["g"] == gid and ev["p"] is not None
            p = ev["p"] if own else g.found_p
            if p is not None:
                self.add(("p", p), time - g.since)

    def begin(self, gid, ev):
        g = self.goroutines[gid]
        g.state, g.reason, g.since, g.found = ev["to"], ev["reason"], ev["time"], False
        self.place(g, ev)

    def place(self, g, ev):
        if g.state in EXECUTING and not g.found:
            self.enter_p(g, ev["p"], ev["time"])
        else:
            self.leave_p(g, ev["time"])

    def waker(self, gid, ev):
        if ev["g"] is not None and ev["g"] != gid and ev["g"] in self.goroutines:
            self.add(("flow", ev["g"], gid))

    def gone(self, gid, time):
        g = self.goroutines.pop(gid)
        self.leave_p(g, time)
        self.end_ranges(("goroutine", gid), time)
        while g.regions:
            self.end_region(g, time)

    def move(self, ev):
        gid, time = ev["id"], ev["time"]
        g = self.goroutines.get(gid)
        if g is None:
            if ev["to"] in STATES:
                found = ev["from"] != "NotExist"
                g = Goroutine(ev["to"], ev["reason"], self.sync if found else time, found)
                self.goroutines[gid] = g
                # Its P is that of the event if its own thread emits the status, which then has no goroutine yet (g is
                # None).
                g.found_p = ev["p"] if found and ev["g"] is None else None
                if not found:
                    self.waker(gid, ev)
                    self.place(g, ev)
            return
        if ev["from"] == ev["to"]:
            return
        self.end(gid, g, time, ev)
        if ev["to"] == "NotExist":
            self.gone(gid, time)
            return
        self.waker(gid, ev)
        self.begin(gid, ev)

    def proc(self, ev):
        g = self.ps.get(ev["id"])
        if g and ev["from"] != ev["to"]:
            self.leave_p(g, ev["time"])

    # --- the rest ---

    def end_region(self, g, time):
        name, since = g.regions.pop()
        self.add(("region", name), time - since)

    def region(self, ev, begins):
        g = self.goroutines.get(ev["g"])
        if g is None:
            return
        if begins:
            g.regions.append((ev["type"], ev["time"]))
        elif g.regions:
            self.end_region(g, ev["time"])
        else:
            self.add(("region", ev["type"]), ev["time"] - g.known)

    # --- ranges: those of an owner by name; a stop-the-world has its reason in brackets ---

    def range(self, ev, kind):
        owner = (ev["of"], ev["id"])
        if ev["of"] == "goroutine" and ev["id"] not in self.goroutines:
            return
        name = ev["name"].split(" (")[0]
        mine = self.ranges.setdefault(owner, [])
        at = [i for i, r in enumerate(mine) if r[0] == name]
        if kind == "RangeEnd":
            if at:
                _, full, since = mine.pop(at[-1])
                self.add(("range", full), ev["time"] - since)
        elif kind == "RangeBegin" or not at:
            mine.append((name, ev["name"], ev["time"] if kind == "RangeBegin" else self.sync))

    def end_ranges(self, owner, time):
        for _, full, since in self.ranges.pop(owner, []):
            self.add(("range", full), time - since)

    def metric(self, ev):
        row = self.rows[("metric", ev["name"])]
        row[0] += 1
        row[1] += min(ev["value"], 2**63 - 1)

    def log(self, ev):
        if ev["category"] in ("gotap", "gotap.origin"):
            self.add(("log", "Recording", ev["message"]))
        elif ev["category"] != "gotap.labels":
            self.add(("log", "", ev["message"]))

    def event(self, ev):
        kind = ev["kind"]
        if kind != "StackSample":
            self.last = ev["time"]
        if kind == "Sync":
            self.sync = ev["time"]
        elif kind == "StateTransition":
            (self.proc if ev["of"] == "proc" else self.move)(ev)
        elif kind == "Metric":
            self.metric(ev)
        elif kind == "Log":
            self.log(ev)
        elif kind == "StackSample":
            self.last = ev["time"]
            self.add(("sample",))
        elif kind in ("RangeBegin", "RangeActive", "RangeEnd"):
            self.range(ev, kind)
        elif kind == "TaskEnd" or kind == "TaskBegin":
            self.tasks[ev["task"]] = True
        elif kind in ("RegionBegin", "RegionEnd"):
            self.region(ev, kind == "RegionBegin")

    def finish(self):
        for gid in list(self.goroutines):
            self.end(gid, self.goroutines[gid], self.last, None)
            self.gone(gid, self.last)
        for owner in list(self.ranges):
            self.end_ranges(owner, self.last)
        for _ in self.tasks:
            self.add(("task",))

    def write(self, file):
        out = []
        for key, (count, total) in self.rows.items():
            fields = [text(f) for f in key] + [str(count)]
            if key[0] in ("state", "p", "metric", "range", "region"):
                fields.append(str(total))
            out.append("\t".join(fields))
        out.sort()
        file.write("".join(line + "\n" for line in out))


for events, rows in zip(sys.argv[1::2], sys.argv[2::2]):
    sums = Sums()
    with open(events) as lines:
        for line in lines:
            sums.event(json.loads(line))
    sums.finish()
    with open(rows, "w") as file:
        sums.write(file)
