#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perfetto_report.py REPORT ROWS [REPORT ROWS]...

Makes ROWS from REPORT (`gotap report --json` of a Go trace): the rows "report ..." that the queries of perfetto_sums.sql
must give for the Perfetto trace of that Go trace, counts and sums of time. An empty REPORT gives none.
"""
import json
import sys
from collections import defaultdict

# A wait to the report, a category of its own in the Perfetto trace.
GAP = "gotap: not recorded"
STATES = {"running": "running", "runnable": "runnable", "syscall_whole": "syscall"}


def text(name):
    return name.split("\0")[0].replace("\t", " ").replace("\n", " ")


def reason_of(name):
    """The reason in the Perfetto trace: "waiting" where the Go trace has none, and the report has one inferred from the stack."""
    return "waiting" if not name or name.endswith(" (by its stack)") else text(name)


def rows_of(report):
    rows = defaultdict(lambda: [0, 0])

    def add(key, count, total):
        if count:
            rows[key][0] += count
            rows[key][1] += total

    def add_dist(key, dist):
        add(key, dist["count"], dist["sum_ns"])

    for g in report["goroutines"]:
        name = text(g["function"]) or "goroutine"
        for state, category in STATES.items():
            if state in g:
                add_dist(("function", name, category, category), g[state])
        if "syscall_blocked" in g:
            add(("without-p", name, "syscall", ""), g["syscall_blocked"]["count"], g["syscall_blocked"]["sum_ns"])
        for reason, dist in g["waiting"].items():
            add_dist(("function", name, "gap" if reason == GAP else "waiting", reason_of(reason)), dist)
    gc = report["gc"]
    add(("range", "gc"), gc["cycles"]["count"] + gc["open_cycles"], gc["cycles"]["sum_ns"] + gc["open_ns"])
    # Only the counts: the report has no time of those without a known goroutine. perfetto_sums.py compares the time.
    add(("range", "assists and sweeps"), gc["assist"]["count"] + gc["sweep"]["count"] + gc["unattributed"], 0)
    for reason, dist in report["stops"].items():
        add_dist(("range", "stop-the-world", text(reason)), dist)
    for kind in "region", "task":
        for x in report[kind + "s"]:
            add(("range", kind, text(x["type"])), x["whole"]["count"] + x["open"], x["whole"]["sum_ns"] + x["open_ns"])
    return rows


for report, name in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(report) as file:
        line = file.readline()
    rows = rows_of(json.loads(line)) if line else {}
    with open(name, "w") as out:
        for key, (count, total) in rows.items():
            out.write("\t".join(("report",) + key + (str(count), str(total))) + "\n")
