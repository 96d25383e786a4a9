# SPDX-License-Identifier: Apache-2.0
#
# threads.py REPORT EXPRESSION [NAME=FILE...]
#
# Is the expression true? Its names: report, and in that d (the object "linux") and t (its threads, by id);
# schedstat(FILE), from lines "TID RAN WAITED TIMES"; and each NAME: the lines of its FILE, as lists of words.
import json
import sys


class Thread(dict):
    """Fields as attributes: t.on_cpu_seconds; and those of its states: t.queued."""
    def __getattr__(self, name):
        return self[name] if name in self else self["states"][name]


def schedstat(name):
    with open(name) as f:
        return {int(w[0]): (int(w[1]) / 1e9, int(w[2]) / 1e9) for w in map(str.split, f)}


def near(a, b, share=0.01, seconds=0.005):
    return abs(a - b) <= share * max(a, b) + seconds


report = next(json.loads(line) for line in open(sys.argv[1]) if line.startswith("{"))
d = report["linux"]
names = {"report": report, "d": d, "t": {x["tid"]: Thread(x) for x in d["threads"]}, "total": Thread(d["total"]),
         "busiest": Thread(max(d["threads"], key=lambda x: x["on_cpu_seconds"])), "near": near, "schedstat": schedstat}
for arg in sys.argv[3:]:
    name, file = arg.split("=", 1)
    with open(file) as f:
        names[name] = [line.split() for line in f]
if not eval("(" + sys.argv[2] + ")", names):
    print("not true:", sys.argv[2])
    print({k: v for k, v in names["busiest"].items() if v})
    print(json.dumps(d, indent=1))
    sys.exit(1)
