#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --region: the calls of any function. tests/prog/regions.go counts and times its calls itself: its functions return,
# recurse, panic, recover, exit the goroutine, and move their stacks.

load lib/common
load lib/record

setup() { require_root; }

teardown() { stop_targets; }

# counts VERSION [BUILD FLAG...]: every call of every function of package main is a region, as the program counted them.
counts() {
	build_prog "$1" regions "${@:2}"
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict --region 'main.*' -- "$PROG" 2 30 100 \
		>"$BATS_TEST_TMPDIR/counts" 2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$BATS_TEST_TMPDIR/x.trace"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/regions.py" "$BATS_TEST_TMPDIR/counts" "$BATS_TEST_TMPDIR/events"
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "calls of a Go % program" { counts %; }
@test "calls of a Go 1.15 program" { counts 1.15; }
# bats test_tags=soak-only
@test "calls of a Go 1.19 program" { counts 1.19; }
# bats test_tags=soak-only
@test "calls of a Go 1.21 program" { counts 1.21; }
# bats test_tags=soak-only
@test "calls of a Go 1.22 program" { counts 1.22; }
# bats test_tags=soak-only
@test "calls of a Go 1.23 program" { counts 1.23; }
# bats test_tags=soak-only
@test "calls of a Go 1.24 program" { counts 1.24; }
# bats test_tags=soak-only
@test "calls of a Go 1.25 program" { counts 1.25; }
# bats test_tags=soak-only
@test "calls of a Go 1.26 program" { counts 1.26; }
@test "calls of a Go 1.27 program" { counts 1.27; }
# end of releases

@test "a stripped program" { counts 1.27 -ldflags=-s; }

@test "a position independent program" { counts 1.26 -buildmode=pie; }

@test "names that match nothing, too much, or what cannot be a region" {
	build_prog 1.27 regions
	refused() {
		gotap record -o "$BATS_TEST_TMPDIR/x.trace" --region "$1" -- "$PROG" 1 1
		[ "$status" -eq "$2" ] && contains "$3"
	}
	refused main.nothing 125 "matches no function"
	refused leaf 125 "it has 'main.leaf'"
	refused main.inlined 125 "has inlined it in"
	refused main.idle 125 "does nothing"
	refused '*' 125 "functions, at most 64 can be regions"
	refused runtime.mallocgc 2 "run where no goroutine does"
	refused '*casgstatus*' 125 "functions of the runtime only"
	refused internal/bytealg.Count 2 "run where no goroutine does"
	[ ! -e "$BATS_TEST_TMPDIR/x.trace" ]
}

# begins NAME: the program's counts of that function.
begun() { awk -v name="$1" '$2 == name { print $3 }' "$BATS_TEST_TMPDIR/counts"; }

@test "gotap func of a trace: calls, histogram, the slow ones" {
	counts 1.27
	cd "$BATS_TEST_TMPDIR"
	"$GOTAP" func --json x.trace 'main.*' >all.json
	for name in 'main.(*cart).total' main.fibonacci main.deep main.waits; do
		jq -e --arg name "$name" --argjson n "$(begun "$name")" '.functions[] | select(.name == $name) |
			.calls == $n and .left == 0 and ([.histogram[].count] | add) == $n' all.json
	done
	jq -e '.functions[] | select(.name == "main.panics") | .calls == 40 and .left == 20' all.json
	jq -e '.functions[] | select(.name == "main.exits") | .calls == 0 and .open == 2' all.json
	jq -e '.slowest | length == 3 and .[0].ns >= .[1].ns' all.json
	gotap func x.trace main.waits
	[ "$status" -eq 0 ]
	contains "main.waits"
	contains "6 calls in"
	contains "gotap why x.trace --region 'main.waits' --all"
	gotap func x.trace main.nothing
	[ "$status" -eq 1 ]
	contains "has no call of 'main.nothing'"
}

@test "gotap func of a process: why its calls are slow, until a signal ends it" {
	build_prog 1.27 regions
	start_target "$PROG" 2 1000000 0
	gotap func -p "$TARGET" -d 500ms -o "$BATS_TEST_TMPDIR/x.trace" main.waits
	[ "$status" -eq 0 ]
	contains "asleep"
	trace_ok "$BATS_TEST_TMPDIR/x.trace"
	"$GOTAP" func -p "$TARGET" --json -o "$BATS_TEST_TMPDIR/y.trace" main.waits >"$BATS_TEST_TMPDIR/func.json" 3>&- &
	TARGETS="$TARGETS $!"
	wait_for 60 test -s "$BATS_TEST_TMPDIR/y.trace.partial"
	sleep 0.5
	kill -INT $!
	wait $!
	jq -e '.functions[0].calls > 0 and (.functions[0].causes | length) > 0' "$BATS_TEST_TMPDIR/func.json"
	gotap func -p "$TARGET" -d 100ms main.main
	[ "$status" -eq 1 ]
	contains "not called meanwhile"
	gotap func -p "$TARGET"
	[ "$status" -eq 2 ]
	target_runs "$TARGET"
}

@test "the price of a call is said first, and a function that costs too much loses its probes" {
	build_prog 1.27 regions
	start_target "$PROG" 4 100000000 0
	gotap record -p "$TARGET" -d 1500ms --budget 20% -o "$BATS_TEST_TMPDIR/x.trace" --region main.fibonacci --region main.waits
	[ "$status" -eq 0 ]
	contains "2 functions with 2 returns; a call costs the program up to"
	contains "1 of them cost too much, and lost their probes"
	trace_ok "$BATS_TEST_TMPDIR/x.trace"
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	grep -q 'region main.fibonacci: its calls are not recorded from here on' "$BATS_TEST_TMPDIR/events"
	# the other one goes on until the end
	awk '/region main.fibonacci: its calls/ { gone = 1 } gone && /UserRegionEnd.*main.waits/ { n++ } END { exit n < 10 }' \
		"$BATS_TEST_TMPDIR/events"
}

# args VERSION [BUILD FLAG...]: arguments and results are those that the program passes.
args() {
	build_prog "$1" regions "${@:2}"
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict --region-args --region 'main.(*cart).total' \
		--region main.results --region main.aligned --region main.recovers --region main.waits -- "$PROG" 1 4 0 >/dev/null
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" | jq -r 'select(.category == "gotap.func") | .message' |
		sed 's/result[.]r[0-9]*=/result=/g' >"$BATS_TEST_TMPDIR/logs"
	for i in 0 1 2 3; do
		cheap=$([ $((i % 2)) -eq 0 ] && echo true || echo false)
		echo "func=main.(*cart).total arg.n=$i arg.name=apples arg.cheap=$cheap"
		case $i in
		0) echo "func=main.(*cart).total result=0 result=error" ;;
		1) echo "func=main.(*cart).total result=7 result=nil" ;;
		2) echo "func=main.(*cart).total result=8 result=nil" ;;
		3) echo "func=main.(*cart).total result=15 result=nil" ;;
		esac
		echo "func=main.recovers arg.n=$i"
		echo "func=main.recovers result=$([ $((i % 3)) -eq 0 ] && echo -1 || echo $((i + 1)))"
		echo "func=main.results arg.n=$i"
		[ $((i % 2)) -eq 0 ] && echo "func=main.results result=even result=true result=nil" ||
			echo "func=main.results result=odd result=false result=error"
		echo "func=main.aligned arg.odd=$([ $((i % 2)) -eq 1 ] && echo true || echo false) arg.n=-$i" | sed 's/=-0$/=0/'
		echo "func=main.aligned result=$((2 - i))"
		[ "$i" -ne 0 ] || echo "func=main.waits arg.d=1000000"
	done >"$BATS_TEST_TMPDIR/want"
	succeeds diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/logs"
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "arguments and results of a Go % program" { args %; }
@test "arguments and results of a Go 1.15 program" { args 1.15; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.19 program" { args 1.19; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.21 program" { args 1.21; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.22 program" { args 1.22; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.23 program" { args 1.23; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.24 program" { args 1.24; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.25 program" { args 1.25; }
# bats test_tags=soak-only
@test "arguments and results of a Go 1.26 program" { args 1.26; }
@test "arguments and results of a Go 1.27 program" { args 1.27; }
# end of releases

@test "arguments without DWARF data, and without a region" {
	build_prog 1.27 regions '-ldflags=-s -w'
	gotap record -o "$BATS_TEST_TMPDIR/x.trace" --region main.waits --region-args -- "$PROG" 1 1
	[ "$status" -eq 125 ]
	contains "no DWARF data"
	gotap record -o "$BATS_TEST_TMPDIR/x.trace" --region-args -- "$PROG" 1 1
	[ "$status" -eq 2 ]
	contains "--region-args is for --region"
}

# bats test_tags=soak-only
@test "a program of the race detector" { CGO_ENABLED=1 counts 1.27 -race; }

@test "a program with inlined copies of its functions" {
	counts 1.27
	contains_report() { grep -q "$1" "$BATS_TEST_TMPDIR/report" || fail "no '$1' in: $(cat "$BATS_TEST_TMPDIR/report")"; }
	contains_report 'the compiler has inlined it in [0-9]* place'
}
