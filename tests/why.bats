#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap why: the causes that it names are those that the program has (prog/chain.go), in traces of the runtime, of gotap
# and of Go before 1.22; its answers are the same whatever way the trace comes.

load lib/common

setup() { cd "$BATS_TEST_TMPDIR" || return; }
teardown() { stop_targets; }

# blamed TRACE OUTPUT: the slowest request is explained as it was.
blamed() {
	"$GOTAP" why --region ask --json "$1" >region.json
	"$GOTAP" why --func main.handle --json "$1" >func.json
	succeeds python3 "$CHECKOUT/tests/lib/why_chain.py" "$CHECKOUT/tests/prog/chain.go" "$2" region.json func.json
}

# traced VERSION [FLAG...]: own.trace and own.out of a run that traces itself.
traced() {
	build_prog "$1" chain
	"$PROG" -trace own.trace "${@:2}" >own.out
}

# matches_in FILE REGEX
matches_in() { grep -Eq -- "$2" "$1" || fail "no line of $1 matches '$2'"; }

@test "a lock's holder in a system call, behind three goroutines: the runtime's trace, Go 1.27" {
	traced 1.27 -n 20 -slow 7
	blamed own.trace own.out
	gotap why --func main.handle own.trace
	contains "main.refresh in a system call"
	contains "main.look was waiting for sync.(*Mutex).Lock at main.get chain.go:"
	contains "then woke goroutine"
}

@test "the same in a trace from before Go 1.22" {
	traced 1.19 -n 20 -slow 7
	blamed own.trace own.out
}

@test "the same in gotap's trace of the program" {
	require_root
	build_prog 1.27 chain
	succeeds "$GOTAP" record -o gt.trace -- "$PROG" -n 20 -slow 7
	grep '^request ' <<<"$output" >gt.out
	# Regions that begin while the program's own tracing is off: WithRegion is seen.
	blamed gt.trace gt.out
}

@test "each step of each goroutine is as docs/why.md defines it, by the events that Go's own reader gives" {
	local g answers=()
	oracle "$REFERENCE_GO"
	build_prog 1.27 mixed
	"$PROG" -trace own.trace -delay 1ms -dur 600ms -tail 1ms -pause 1ms >/dev/null
	"$GOTAP" why --json --full own.trace >answer.0
	for g in {1..25}; do
		! "$GOTAP" why --json --full -g "$g" own.trace >"answer.$g" 2>/dev/null || answers+=("answer.$g")
	done
	[ ${#answers[@]} -gt 10 ]
	succeeds "$ORACLE/path" own.trace answer.0 "${answers[@]}"
}

@test "what one request in a hundred waits for shows in --all, and for a task, a region and a function" {
	traced 1.27 -n 800 -slow 100 -hold 100ms
	local of
	for of in --func=main.handle --region=ask --task=request; do
		"$GOTAP" why "$of" --all --json own.trace >all.json
		succeeds python3 -c '
import json, sys
a = json.load(open("all.json"))
assert a["instances"]["count"] == 800 and a["slow"]["count"] == 9 and a["slow"]["looked_at"] == 9, a["slow"]
held = sum(c["slow_ns"] for c in a["causes"] if c["cause"].get("goroutines_of") == "main.refresh")
usual = sum(c["middle_ns"] for c in a["causes"] if c["cause"].get("goroutines_of") == "main.refresh")
assert held > 0.5 * 100e6 and usual == 0, (held, usual)
first = a["causes"][0]
assert first["cause"]["goroutines_of"] == "main.refresh" and first["waited_for_in"]["ended_by"] == "holder", first
for group in "slow", "middle":
    total = sum(c[group + "_ns"] for c in a["causes"])
    assert abs(total - a[group]["mean_ns"]) < 1 + len(a["causes"]), (group, total, a[group])
'
	done
	gotap why --func main.handle --all own.trace
	matches '^ *[0-9.]+ ms +0 ns  waiting at main.handle.func1 .*meanwhile main.refresh'
}

@test "a pipe, a file, and several files give the same answer; --from and --to cut it; -o" {
	traced 1.27 -n 20 -slow 7 -hold 20ms
	"$GOTAP" why --func main.handle own.trace >want
	"$GOTAP" why --func main.handle - <own.trace >got
	diff want got
	cat own.trace | "$GOTAP" why --func main.handle - >got
	diff want got
	"$GOTAP" why --func main.handle -o got own.trace
	diff want got
	"$PROG" -trace fast.trace -n 5 -slow 100 >/dev/null
	"$GOTAP" why --func main.handle fast.trace own.trace >several
	grep -v '^the slowest' want | diff - <(grep -v '^the slowest' several)
	matches_in several '^the slowest of 25:'
	"$GOTAP" why --full --json own.trace >all.json
	"$GOTAP" why --full --json --from 5ms --to 15ms own.trace >part.json
	succeeds python3 -c '
import json
a, b = json.load(open("all.json")), json.load(open("part.json"))
assert b["from_ns"] == 5000000 and b["to_ns"] == 15000000 and b["ns"] == 10000000
for x in a, b:
    assert sum(s["to_ns"] - s["from_ns"] for s in x["steps"]) == x["ns"] and len(x["steps"]) == x["step_count"]
'
}

@test "wrong usage, nothing found and damage" {
	traced 1.27 -n 5 -slow 100
	local wrong
	for wrong in "" "--goroutine x own.trace" "--func a --task b own.trace" "--all own.trace" \
		"--percentile 101 --func a own.trace" "--from 2s --to 1s own.trace" "--from 1s --func a own.trace" \
		"own.trace own.trace"; do
		gotap why $wrong
		[ "$status" -eq 2 ]
	done
	gotap why --func main.nobody own.trace
	[ "$status" -eq 1 ]
	contains "no goroutine began with 'main.nobody'; there are"
	gotap why --goroutine 999999 own.trace
	[ "$status" -eq 1 ]
	contains "no goroutine 999999"
	gotap why -o own.trace own.trace
	[ "$status" -ne 0 ]
	"$GOTAP" check own.trace
	# The last generation is cut off: what is before it is shown, and then the fault.
	"$PROG" -trace long.trace -n 40 -slow 4 -hold 150ms >/dev/null
	head -c -200 long.trace >cut.trace
	gotap why --func main.handle cut.trace
	[ "$status" -eq 1 ]
	contains "main.handle took"
	contains "gotap: cut.trace: "
}
