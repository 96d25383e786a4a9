#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
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
	traced 1.27 -n 20 -slow 7 -hold 300ms
	blamed own.trace own.out
	gotap why --func main.handle own.trace
	contains "main.refresh in a system call"
	contains "main.look was waiting for sync.(*Mutex).Lock at main.get chain.go:"
	contains "then woke goroutine"
}

@test "the same in a trace from before Go 1.22" {
	traced 1.19 -n 20 -slow 7 -hold 300ms
	blamed own.trace own.out
}

@test "the same in gotap's trace of the program" {
	require_root
	build_prog 1.27 chain
	succeeds "$GOTAP" record -o gt.trace -- "$PROG" -n 20 -slow 7 -hold 300ms
	grep '^request ' <<<"$output" >gt.out
	# Regions that begin while the program's own tracing is off: WithRegion is seen.
	blamed gt.trace gt.out
}

@test "each step of each goroutine is as docs/why.md defines it, by the events that Go's own reader gives" {
	local g answers=()
	oracle "$REFERENCE_GO"
	build_prog 1.27 mixed
	"$PROG" -trace own.trace -delay 1ms -dur 600ms -rounds 1000 -tail 1ms -pause 1ms >/dev/null
	"$GOTAP" why --json --full own.trace >answer.0
	for g in $("$ORACLE/check" -goroutines own.trace | awk '$1 == "goroutine" && ++n <= 25 { print $2 }'); do
		"$GOTAP" why --json --full -g "$g" own.trace >"answer.$g"
		answers+=("answer.$g")
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

# without_next [ARGUMENT]...: sed without the commands at the end, which name the trace: of a pipe there are others.
without_next() { sed '/^NEXT$/,$d' "$@"; }

@test "a pipe, a file, and several files give the same answer; --from and --to cut it; -o" {
	traced 1.27 -n 20 -slow 7 -hold 300ms
	"$GOTAP" why --func main.handle own.trace >want
	"$GOTAP" why --func main.handle -o got own.trace
	diff want got
	without_next -i want
	"$GOTAP" why --func main.handle - <own.trace | without_next >got
	diff want got
	cat own.trace | "$GOTAP" why --func main.handle - | without_next >got
	diff want got
	"$PROG" -trace fast.trace -n 5 -slow 100 >/dev/null
	"$GOTAP" why --func main.handle fast.trace own.trace | without_next >several
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
		"--percentile 101 --func a own.trace" "--from 2s --to 1s own.trace" "--from 1s --func a own.trace"; do
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

# recorded PROGRAM...: makes x.trace and x.trace.threads of it, on the same CPU as another busy program.
recorded() {
	taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	TARGETS+=" $!"
	succeeds taskset -c 0 "$GOTAP" record -e +linux --budget none -o x.trace -- "$@"
	"$GOTAP" records x.trace.threads >x.records
}

@test "what Linux did with the threads meanwhile is what the records say, and the sum is the time exactly" {
	require_root
	local g answers=()
	oracle "$REFERENCE_GO"
	build_prog "$REFERENCE_GO" kernel
	recorded "$PROG" -dur 400ms burn 2
	for g in {1..24}; do
		! "$GOTAP" why --json --full -g "$g" x.trace >"answer.$g" 2>/dev/null || answers+=("answer.$g")
	done
	succeeds "$ORACLE/path" -threads x.records x.trace "${answers[@]}"
	succeeds python3 -c '
import json, sys
kinds = {}
for name in sys.argv[1:]:
    a = json.load(open(name))
    steps = a["steps"]
    assert sum(s["to_ns"] - s["from_ns"] for s in steps) == a["ns"] == sum(c["ns"] for c in a["causes"]), name
    for s in steps + [c for c in a["causes"]]:
        kind = s["cause"]["kind"]
        assert ("thread" in s["cause"]) == (kind in ("running", "assist", "sweep", "stops the world", "syscall",
                                                     "syscall without P")), s
    for c in a["causes"]:
        cause = c["cause"]
        if cause.get("goroutines_of") == "main.burn" and cause["kind"] == "running":
            key = cause["thread"], cause.get("queued")
            kinds[key] = kinds.get(key, 0) + c["ns"]
    held = a["runnable"]
    assert sum(held["held_by_thread_state"].values()) == held["held_ns"], held
    assert sum(h["off_cpu_ns"] for h in held["holders"]) == held["held_ns"] - \
        sum(held["held_by_thread_state"].get(k, 0) for k in ("on_cpu", "unknown")), held
print(kinds)
assert kinds["on_cpu", None] > 0 and kinds["queued", "preempted"] > 1e6, kinds
' "${answers[@]}"
	gotap why -g "$(python3 -c '
import json, sys
for name in sys.argv[1:]:
    a = json.load(open(name))
    if a.get("goroutine_of") == "main.burn":
        print(a["goroutine"])
        break
' "${answers[@]}")" x.trace
	matches 'running, but waiting for a CPU \(preempted by [^)]+\), up to main\.burn kernel\.go:'
}

@test "--all tells apart what the threads did; a file of threads of another recording, and a damaged one" {
	require_root
	build_prog "$REFERENCE_GO" chain
	recorded "$PROG" -n 40 -slow 20 -hold 100ms
	"$GOTAP" why --func main.handle --all --json x.trace >all.json
	succeeds python3 -c '
import json
a = json.load(open("all.json"))
held = [c["cause"] for c in a["causes"] if c["cause"].get("goroutines_of") == "main.refresh" and c["cause"]["kind"].startswith("syscall")]
assert any(c["thread"] == "sleeping" for c in held), held
assert {"on_cpu"} <= {c["cause"].get("thread") for c in a["causes"]}
for group in "slow", "middle":
    total = sum(c[group + "_ns"] for c in a["causes"])
    assert abs(total - a[group]["mean_ns"]) < 1 + len(a["causes"]), (group, total, a[group])
'
	gotap why --func main.handle x.trace
	matches 'main\.refresh in a system call( without P)? of syscall\.Nanosleep at main\.keep chain\.go:'
	matches 'main.keep chain.go:[0-9]+, asleep'

	cp x.trace bare.trace
	"$GOTAP" why --func main.handle bare.trace >bare
	! grep -q asleep bare || fail "it has a file of threads"
	cp x.trace.threads own.threads
	mv x.trace first.trace
	succeeds "$GOTAP" record -e +linux -o x.trace -- "$PROG" -n 1
	mv first.trace x.trace
	"$GOTAP" why --func main.handle x.trace >other 2>said
	diff <(without_next bare) <(without_next other)
	matches_in said "'x.trace.threads' is not of the same recording as 'x.trace': it is left out"

	# a pipe cannot be read again without it
	mkfifo pipe
	cp x.trace.threads pipe.threads
	cat x.trace >pipe 3>&- &
	"$GOTAP" why --json pipe >piped
	"$GOTAP" why --json - <x.trace >stdin
	sed 's/"pipe"/"-"/' piped | diff - stdin

	head -c -100 own.threads >x.trace.threads
	! "$GOTAP" why --json --full x.trace >cut.json 2>said || fail "a cut file of threads is no fault"
	matches_in said "^gotap: .*x.trace.threads"
	succeeds python3 -c '
import json
a = json.load(open("cut.json"))
assert sum(s["to_ns"] - s["from_ns"] for s in a["steps"]) == a["ns"]
'
	echo damage >x.trace.threads
	gotap why --func main.handle x.trace
	[ "$status" -eq 1 ]
	contains "gotap: "
	contains "main.handle took"
}
