#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""regions.py COUNTS EVENTS: the regions of a recording with --region against the counts of tests/prog/regions.go.

COUNTS is what the program printed, EVENTS the output of `gotap text --events --json`. Each function that the program counts
must have as many regions as it had calls, of which as many are whole as returned. Regions must nest in each goroutine. The
program's clock runs around the call: the sum of the regions is at most that of the program."""
import json
import sys

counts = {}
for line in open(sys.argv[1]):
    words = line.split()
    if words and words[0] == "calls":
        counts[words[1]] = [int(w) for w in words[2:]]

stacks, begun, returned, total, left = {}, {}, {}, {}, {}
own = {"own": 0, "open": 0}
for line in open(sys.argv[2]):
    e = json.loads(line)
    g = e.get("g")
    if e["event"] == "UserRegionBegin":
        stacks.setdefault(g, []).append((e["type"], e["time"]))
        begun[e["type"]] = begun.get(e["type"], 0) + 1
        if e["type"] in own:
            own[e["type"]] += 1
    elif e["event"] == "UserLog" and e["category"] == "gotap.func":
        assert e["message"].endswith(" end=unwound"), e
        left[g] = e["message"].split()[0].split("=")[1]
    elif e["event"] == "UserRegionEnd":
        name, begin = stacks[g].pop()
        assert name == e["type"], f"goroutine {g}: {name} is open, {e['type']} ends"
        if left.pop(g, None) == name:
            continue
        returned[name] = returned.get(name, 0) + 1
        if all(outer != name for outer, _ in stacks[g]):  # the program times the outermost call of a recursion
            total[name] = total.get(name, 0) + e["time"] - begin

for name, (calls, back, ns) in sorted(counts.items()):
    assert begun.get(name, 0) == calls, f"{name}: {calls} calls, {begun.get(name, 0)} regions"
    assert returned.get(name, 0) == back, f"{name}: {back} returned, {returned.get(name, 0)} whole regions"
    if ns:
        # the clock of the program has the probes' own time in it, twice
        assert 0 < total[name] <= ns, f"{name}: {total[name]} ns of {ns}"
assert own["own"] == counts["main.annotated"][0], own
print("functions:", len(counts), "regions:", sum(begun.values()))
