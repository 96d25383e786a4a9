#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# copies.py EVENTS [grown] DUFF...: are the stacks of the samples of tests/prog/copies right? EVENTS is what `gotap text --events --json`
# prints, DUFF the functions of duffcopy and duffzero that the release has. Nothing in the program calls itself: no function is
# twice in a row. grown: the outer callers in a stack that has grown are not known (Go up to 1.20 on arm64). What runs on the system stack for the program has the program's own frames, too.

import collections
import json
import sys

CALLERS = {"runtime.duffcopy": "main.copyLarge", "runtime.duffzero": "main.clearLarge"}


def main():
    events, grown = sys.argv[1], "grown" in sys.argv
    duff = [name for name in sys.argv[2:] if name != "grown"]
    seen, wrong = collections.Counter(), collections.Counter()
    with open(events, encoding="utf-8") as f:
        for line in f:
            if '"CPUSample"' not in line and '"StackSample"' not in line:
                continue
            stack = [frame["func"] for frame in json.loads(line).get("stack", [])]
            if not stack:
                continue
            for a, b in zip(stack, stack[1:]):
                if a == b:
                    wrong["twice: " + " < ".join(stack)] += 1
            if stack[0] in CALLERS and "main.main" in stack:
                if stack[1].startswith("main.") and stack[1] != CALLERS[stack[0]]:
                    wrong["caller: " + " < ".join(stack)] += 1
                seen[stack[0]] += stack[1] == CALLERS[stack[0]]
            if not grown and "main.main" in stack and stack[-2:] != ["runtime.main", "runtime.goexit"]:
                wrong["root: " + " < ".join(stack)] += 1
            if "runtime.Stack.func1" in stack:
                seen["system"] += 1
                after = stack[stack.index("runtime.Stack.func1") + 1:]
                # up to Go 1.20 systemstack has no frame on amd64, so that its caller is not in the chain
                if after[:1] != ["runtime.systemstack"] or "main.onSystemStack" not in after[1:3]:
                    wrong["system stack: " + " < ".join(stack)] += 1
            for name in ("main.clock", "main.copying", "main.clearing"):
                seen[name] += name in stack
    for name, n in wrong.most_common(20):
        print(n, name)
    print(dict(seen))
    missing = [name for name in [*duff, "system", "main.clock", "main.copying", "main.clearing"] if not seen[name]]
    if missing:
        print("no sample of", missing)
    return 1 if wrong or missing else 0


sys.exit(main())
