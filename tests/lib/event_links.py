# SPDX-License-Identifier: Apache-2.0
"""event_links.py same JSON...: each link of `gotap text --events --json --links` is the earlier event that must be it.
event_links.py v1 {JSON LINKS}...: its links are those of `gotap text --links` of the same trace. Both print how many they saw.
"""
import collections
import json
import sys


def events(path):
    return [json.loads(line) for line in open(path)]


# --- same ----------------------------------------------------------------------------------------

def subject(e):
    """What an event moves, begins or ends, with its role: "moves", "begins", "goes on", "ends"; or None."""
    role = {"Begin": "begins", "Active": "goes on", "End": "ends"}
    kind = e["kind"]
    if kind == "StateTransition":
        return "moves", (e["of"], e["id"])
    for thing, key in (("Range", ("name", "of", "id")), ("Task", ("task",)), ("Region", ("g", "task", "type"))):
        if kind.startswith(thing) and kind[len(thing):] in role:
            return role[kind[len(thing):]], (thing, *(e[k] for k in key))
    return None, None


def same(path):
    """Times are different from each other, so a time is an event."""
    moved, opened, n = {}, collections.defaultdict(list), 0
    for e in events(path):
        role, what = subject(e)
        want = None
        if role == "moves":
            want = moved.get(what)
            if want and e["from"] == e["to"] == want["to"]:
                want = None
            else:
                assert not want or want["to"] == e["from"], (want, e)
                moved[what] = e
            if e["to"] == "NotExist":
                del moved[what]
                if e["of"] == "goroutine":
                    for key in [k for k in opened if k[0] == "Region" and k[1] == e["id"]]:
                        del opened[key]
        elif role == "begins" or (role == "goes on" and not opened[what]):
            opened[what].append(e)
        elif role == "ends" and opened[what]:
            want = opened[what].pop()
        link = e.get("link")
        assert link == (want and {"time": want["time"], "event": want["event"]}), (link, want, e)
        assert not link or link["time"] < e["time"], e
        n += link is not None
    return n


# --- v1 ------------------------------------------------------------------------------------------

RANGES = {"GCStart": "GCEnd", "STWStart": "STWEnd", "GCSTWStart": "STWEnd", "GCSweepStart": "GCSweepEnd",
          "GCMarkAssistStart": "GCMarkAssistEnd", "UserTaskCreate": "UserTaskEnd"}


def v1_links(path):
    """Per pair of events and goroutine or P, the times of both; those of ranges by the type alone."""
    lines = {}
    for line in open(path):
        number, _, time, *words = line.split()
        fields = dict(w.split("=", 1) for w in words if "=" in w)
        name = next(w for w in words if "=" not in w)
        lines[int(number)] = int(time), name, words[1][2:], fields
    found = collections.defaultdict(list)
    for time, name, on, fields in lines.values():
        if "link" not in fields:
            continue
        to_time, to_name, _, to_fields = lines[int(fields["link"])]
        if name == "GoCreate" and on != "0":	# by 0: it was there before the trace
            key = "GoCreate", "GoStart", int(to_fields["g"])
        elif (name.startswith("GoBlock") or name == "GoSleep") and to_name == "GoUnblock":
            key = "GoBlock", "GoUnblock", int(on)
        elif name == "GoUnblock":
            key = "GoUnblock", "GoStart", int(to_fields["g"])
        elif name in RANGES:
            key = "begin", RANGES[name]
        elif name == "UserRegion" and to_name == "UserRegion":
            key = "begin", "UserRegionEnd"
        else:
            continue
        found[key].append((time, to_time))
    return found


def v2_links(path):
    found = collections.defaultdict(list)
    for e in events(path):
        link = e.get("link")
        if not link or link["event"].endswith(("Status", "Active")):
            continue
        if e["kind"] in ("RangeEnd", "TaskEnd", "RegionEnd"):
            key = "begin", e["event"]
        elif e["event"] == "GoStart" and link["event"] in ("GoCreate", "GoUnblock"):
            key = link["event"], "GoStart", e["id"]
        elif e["event"] == "GoUnblock":
            key = link["event"], "GoUnblock", e["id"]
        else:
            continue
        found[key].append((link["time"], e["time"]))
    return found


def v1(path, links):
    """Each trace has its own zero. Of events at one time the new format moves all but the first by some ns."""
    new, old = v2_links(path), v1_links(links)
    for key in sorted(old.keys() | new.keys(), key=str):
        assert len(old[key]) == len(new[key]), (key, old[key], new[key])
        old[key].sort()
        new[key].sort()
    moves = [b - a for key in old for p, q in zip(old[key], new[key]) for a, b in zip(p, q)]
    assert max(moves) - min(moves) <= 20, (min(moves), max(moves))
    return len(moves) // 2


def all_same(*paths):
    return sum(map(same, paths))


def all_v1(*pairs):
    return sum(map(v1, pairs[::2], pairs[1::2]))


if __name__ == "__main__":
    print({"same": all_same, "v1": all_v1}[sys.argv[1]](*sys.argv[2:]))
