#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# waits.py ADDRESSES EVENTS [UNKNOWN...]: does the trace say what tests/prog/waits printed? ADDRESSES is that print, EVENTS
# what `gotap text --events --json` prints. Each goroutine is found by the function that it began with. Each event after which it waits
# must name its objects; those of UNKNOWN, kinds of objects, must be absent everywhere. Prints what differs, and the number
# of events that were compared.

import json
import sys

MOST = 8	# channels of a select that a trace has


def expected(line):
    kind, words = line[0], line[1:]
    if kind == "nothing":
        return None
    if kind == "network":
        socket = {"fd": int(words[0]), "protocol": "tcp", "local": words[1], "remote": words[2]}
        return {"kind": kind, "objects": [socket]}
    if kind not in ("channel", "select"):
        return {"kind": kind, "objects": [{"address": words[0]}]}
    objects = [{"address": a, "capacity": min(int(c), 65534)} for a, c in zip(words[::2], words[1::2])]
    objects.sort(key=lambda o: int(o["address"], 16))
    return {"kind": kind, "objects": objects}


def same(want, got):
    if want is None or got is None or want["kind"] != got["kind"]:
        return want == got
    listed = sorted(got["objects"], key=lambda o: int(o.get("address", "0"), 16))
    if len(want["objects"]) <= MOST:
        return listed == want["objects"] and "more" not in got
    return len(listed) == MOST and got.get("more") and all(o in want["objects"] for o in listed)


def main():
    addresses, events, unknown = sys.argv[1], sys.argv[2], sys.argv[3:]
    wanted = {}
    with open(addresses) as f:
        for line in f:
            words = line.split()
            if words[0].startswith("main."):
                wanted[words[0]] = None if words[1] in unknown else expected(words[1:])
    seen, wrong, compared = {}, 0, 0
    with open(events) as f:
        for line in f:
            ev = json.loads(line)
            if ev.get("to") != "Waiting" or "stack" not in ev:
                continue
            root = ev["stack"][-1]["func"]
            if root not in wanted:
                continue
            compared += 1
            seen[root] = seen.get(root, 0) + 1
            if not same(wanted[root], ev.get("waits_for")):
                wrong += 1
                print(f"{root} at {ev['time']}: expected {wanted[root]}, the trace has {ev.get('waits_for')}")
    for root in wanted:
        if root not in seen:
            wrong += 1
            print(f"{root} does not wait")
    print(f"{compared} events compared")
    sys.exit(wrong != 0)


main()
