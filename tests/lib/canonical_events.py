# SPDX-License-Identifier: Apache-2.0
"""canonical_events.py go|ours FILE: the JSON form of events without what v1 and v2 traces cannot have in common.

Left out are threads and Ps (v1 readers put some events on made-up Ps), times (v1 has events at one time), the parent of a
task that ends (Go says 0 there), and the order between goroutines; of ours the first Gomaxprocs, which Go leaves out.
"""
import json
import sys


def cut(line):
    """The head of an object as values, and the stacks that end it as text."""
    places = [p for p in (line.find(',"stack":['), line.find(',"new_stack":[')) if p >= 0]
    if not places:
        return json.loads(line), ""
    return json.loads(line[:min(places)] + "}"), line[min(places):]


def group(e):
    """Events of one group have an order that is certain."""
    if e["kind"] in ("Metric", "StackSample"):
        return "unordered"
    if e["kind"] == "StateTransition" or "name" in e:
        by = e.pop("g")
        if e.get("from") == "NotExist" and e["to"] != "Running":
            e["by"] = by
        return f'{e.get("name")} {e["of"]} {e["id"]}'
    return f'g {e["g"]}'


def main(side, path):
    groups = {}
    first = side == "ours"
    for line in open(path):
        e, stacks = cut(line)
        if first and e.get("name") == "/sched/gomaxprocs:threads":
            first = False
            continue
        if e["kind"] == "Sync":
            continue
        if e["kind"] == "TaskEnd":
            del e["parent"]
        for key in ("time", "m", "p", "event"):
            del e[key]
        groups.setdefault(group(e), []).append(json.dumps(e) + stacks.rstrip())
    groups.get("unordered", []).sort()
    for name in sorted(groups):
        for text in groups[name]:
            print(name, text)


main(*sys.argv[1:])
