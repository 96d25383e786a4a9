#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_profiles.py KIND RUNTIME OURS: compares the output of `go tool pprof -raw` for two profiles of the same program
(tests/prog/profiled.go) at about the same time: by net/http/pprof, and by gotap serve. Sample types, period, labels,
functions and lines must be the same; values are compared only where the program works at a fixed rate."""
import re
import sys


class Profile:
    def __init__(self, path):
        self.head, self.samples, self.locations = {}, [], {}
        part, labels = "head", None
        for line in open(path):
            line = line.rstrip("\n")
            if line in ("Samples:", "Locations", "Mappings"):
                part = line
                continue
            getattr(self, "take_" + part.strip(":").lower())(line)

    def take_head(self, line):
        name, _, value = line.partition(": ")
        self.head[name] = value

    def take_samples(self, line):
        m = re.match(r"^ *([\d ]+): ([\d ]*)$", line)
        if m:
            stack = [int(i) for i in m[2].split()]
            self.samples.append(([int(v) for v in m[1].split()], stack, ""))
        elif line.startswith(" " * 16):
            self.samples[-1] = self.samples[-1][:2] + (line.strip(),)
        else:
            self.types = [t.replace("[dflt]", "") for t in line.split()]

    def take_locations(self, line):
        m = re.match(r"^ *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*)$", line)
        if m:
            self.last = self.locations[int(m[1])] = []
        text = m[2] if m else line.strip()
        m = re.match(r"^(.*) (\S+):(\d+):\d+ s=\d+$", text)
        if m:
            self.last.append((m[1], m[2], int(m[3])))

    def take_mappings(self, line):
        pass

    @property
    def seconds(self):
        return float(self.head["Duration"].split(",")[0])

    def frames(self, stack):
        return tuple(f for i in stack for f in self.locations[i])

    def by(self, function):
        """Values of samples with that function on the stack, their stacks and labels."""
        values, stacks, labels = [0] * len(self.types), set(), set()
        for sample, stack, label in self.samples:
            frames = self.frames(stack)
            if any(f[0] == function for f in frames):
                values = [a + b for a, b in zip(values, sample)]
                stacks.add(frames)
                labels.add(label)
        return values, stacks, labels


def must(ok, what):
    if not ok:
        sys.exit("not so: " + what)


def close(a, b, share, what):
    must(abs(a - b) <= share * max(a, b), f"{what}: {a} and {b}")


kind, its, ours = sys.argv[1], Profile(sys.argv[2]), Profile(sys.argv[3])
must(its.types == ours.types, f"sample types {its.types}, {ours.types}")
for name in ("PeriodType", "Period"):
    must(its.head[name] == ours.head[name], f"{name}: {its.head[name]}, {ours.head[name]}")
if kind == "goroutine":
    a, b = its.by("main.idle"), ours.by("main.idle")
    must(a == b and a[0] == [20], f"idle: {a}, {b}")
    a, b = its.by("net/http.Serve"), ours.by("net/http.Serve")
    must(a == b, f"a goroutine that accepts: {a}, {b}")
elif kind == "block":
    for function in ("main.take", "main.hold"):
        a, b = its.by(function), ours.by(function)
        must(a[1] & b[1], f"stacks of {function}: {a[1]}, {b[1]}")
        # These wait all the time, whatever the load. Compared is their share of the profiled time: on a busy machine
        # that differs.
        close(a[0][1] / its.seconds, b[0][1] / ours.seconds, 0.3, f"delay of {function} by second")
else:
    a, b = its.by("main.spin"), ours.by("main.spin")
    total = [sum(s[0][1] for s in p.samples) for p in (its, ours)]
    must({s[0] for s in a[1]} & {s[0] for s in b[1]}, f"places in spin: {a[1]}, {b[1]}")
    must(b[0][0] * 10000000 == b[0][1], f"a sample is 10 ms: {b[0]}")
    # it computes for a time, not for an amount: on a busy machine it gets little of the processors in that time
    must(a[0][1] > 0.3 * total[0] and b[0][1] > 0.3 * total[1], f"share of spin: {a[0]} of {total[0]}, {b[0]} of {total[1]}")
print("the same:", kind, its.types)
