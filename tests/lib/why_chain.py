# SPDX-License-Identifier: Apache-2.0
"""why_chain.py SOURCE OUTPUT REGION.json FUNC.json: does `gotap why` name the causes of the slowest request of chain.go?

OUTPUT is what the program printed; REGION and FUNC are the answers about region "ask" and function main.handle.
The region lies inside of what the program's own clock measured, and that inside of the goroutine's life, whatever the
load of the machine is.
"""
import json
import sys

source, output, region, func = sys.argv[1:]
line = {}
for number, text in enumerate(open(source), 1):
    for name, what in (("lock", "\tmu.Lock()\n"), ("keep", "syscall.Nanosleep(")):
        if what in text and (name != "lock" or name not in line or "asked" in before):
            line[name] = number
    before = text
took = max(int(l.split()[2]) for l in open(output) if l.startswith("request "))
region, func = json.load(open(region)), json.load(open(func))

for answer in region, func:
    assert answer["version"] == 1
    steps = answer["steps"]
    assert steps[0]["from_ns"] == answer["from_ns"] and steps[-1]["to_ns"] == answer["to_ns"]
    for a, b in zip(steps, steps[1:]):
        assert a["to_ns"] == b["from_ns"], (a, b)
    assert sum(c["ns"] for c in answer["causes"]) == answer["ns"] == answer["to_ns"] - answer["from_ns"]
print("region", region["ns"], "program", took, "goroutine", func["ns"])
assert region["ns"] <= took * 1.001 and took <= func["ns"] * 1.001

# Who is on the path, in which order.
path = []
for step in region["steps"]:
    name = step["cause"].get("goroutines_of")
    if not path or path[-1] != name:
        path.append(name)
print(" ".join(map(str, path)))
at = [path.index(f) for f in ("main.handle", "main.route", "main.look", "main.refresh")]
assert at == sorted(at), "in the order in which they are asked"
back = path[::-1]
at = [back.index(f) for f in ("main.handle", "main.route", "main.look", "main.refresh")]
assert at == sorted(at), "in the reverse order they answer"

# What takes the time: refresh is in its system call, for which look waits for the lock, for which handle waits.
slow = [c for c in region["causes"] if c["cause"].get("goroutines_of") == "main.refresh" and
        c["cause"]["kind"].startswith("syscall")]
assert sum(c["ns"] for c in slow) > region["ns"] / 2, region["causes"][:3]
for c in slow:
    assert c["cause"]["at"]["function"] == "main.keep" and c["cause"]["at"]["line"] == line["keep"], c
    assert c["cause"]["in"]["function"] == "syscall.Nanosleep", c
    wait = c["waited_for_in"]
    assert wait["goroutines_of"] == "main.look" and wait["ended_by"] == "holder", c
    assert wait["at"]["function"] == "main.get" and wait["at"]["line"] == line["lock"], (c, line)
    assert wait["in"]["function"] == "sync.(*Mutex).Lock", c
    assert c["explains"]["goroutines_of"] == "main.handle", c
    assert c["explains"]["at"]["function"] == "main.handle.func1", c
