# SPDX-License-Identifier: Apache-2.0
"""The requests that gotap joins are those of the programs.

joins.py ANSWER FRONT_EVENTS BACK_EVENTS TRUTH LEAST: ANSWER is the JSON of `gotap requests FRONT BACK`, the events those of
`gotap text --events --json` of both, TRUTH has a line "ID TOKEN" for each call (tests/prog/downstream.go). Each pair of ANSWER
must be one of TRUTH, and LEAST of those that both traces have must be there: a busy machine has responses that come while no
goroutine waits to read, most of all over a connection that calls share. Not expected (docs/joins.md) are those of a front's
request that began before the back's trace, and those of a connection with an end that nobody ever waited for: on a busy machine
all bytes can be there whenever a goroutine reads. Its time must lie within the request of the front, and overlap the one of the
back.
"""
import json
import re
import sys


def requests(path, prefix):
    """Task -> (path without the prefix, begin, end), of the requests that began and ended in the trace."""
    begins, found, paths = {}, {}, {}
    for line in open(path):
        e = json.loads(line)
        if e["event"] == "UserTaskBegin":
            begins[e["task"]] = e["time"]
        elif e["event"] == "UserTaskEnd" and e["task"] in begins and e["task"] in paths:
            found[e["task"]] = paths[e["task"]], begins[e["task"]], e["time"]
        elif e["event"] == "UserLog" and e.get("category") == "gotap.http":
            at = re.search(r"path=" + prefix + r"(\S+)", e["message"])
            if at:
                paths[e["task"]] = at.group(1)
    return found


def looks(path):
    """(local, remote) -> the first time that a goroutine waits to read from that socket, and not for the connection itself."""
    first = {}
    for line in open(path):
        e = json.loads(line)
        if not any(f["func"].startswith("internal/poll.(*FD).Read") for f in e.get("stack", [])):
            continue
        for o in e.get("waits_for", {}).get("objects", []):
            if "remote" in o:
                first.setdefault((o["local"], o["remote"]), e["time"])
    return first


def remotes(path):
    """Path of a request -> the address that its connection came from."""
    found = {}
    for line in open(path):
        at = re.search(r"remote=(\S+) path=/b/([^\s\"]+)", line)
        if at:
            found[at.group(2)] = at.group(1)
    return found


answer = json.load(open(sys.argv[1]))
front, back = requests(sys.argv[2], "/a/"), requests(sys.argv[3], "/b/")
truth = {tuple(line.split()) for line in open(sys.argv[4])}
least = float(sys.argv[5])
begin = next(json.loads(line)["time"] for line in open(sys.argv[3]))
ids = {r[0] for r in front.values() if r[1] >= begin}
tokens = {r[0] for r in back.values()}
remote, ends = remotes(sys.argv[3]), {r[0]: r[2] for r in back.values()}
waits = {end[0]: time for end, time in looks(sys.argv[2]).items()}
serves = {end[1]: time for end, time in looks(sys.argv[3]).items()}


def is_waited_for(token):
    """Both ends of its connection were waited for before the response was there; of a Unix socket that is not known."""
    end = remote.get(token, "")
    return ":" not in end or all(end in w and w[end] < ends[token] for w in (waits, serves))


wanted = {t for t in truth if t[0] in ids and t[1] in tokens and is_waited_for(t[1])}
origin = next(json.loads(line)["time"] for line in open(sys.argv[2]))
pairs, wrong, outside = set(), [], []
for c in answer["downstream"]:
    if "task_there" not in c or c["task"] not in front or c["task_there"] not in back:
        continue
    a, b = front[c["task"]], back[c["task_there"]]
    pairs.add((a[0], b[0]))
    if (a[0], b[0]) not in truth:
        wrong.append((a, b))
    if not a[1] <= c["from_ns"] + origin <= c["to_ns"] + origin <= a[2] or b[1] >= a[2] or b[2] <= a[1]:
        outside.append(c)
print(f"{len(wanted)} calls, {len(pairs & truth)} joined, {len(wrong)} wrong, {len(outside)} outside; waits {answer['network_waits']}")
if not wanted or wrong or outside or len(pairs & wanted) < least * len(wanted):
    print("missing:", sorted(wanted - pairs)[:5], "wrong:", wrong[:5], "outside:", outside[:3])
    sys.exit(1)
