#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap pprof: the types of go tool trace beside that tool, sample by sample; the others beside what internal/trace
# gives (tests/oracle/profile); go tool pprof of several releases reads them; filters, damage, errors.

load lib/common
load lib/v1

setup_file() {
	load lib/common
	local version
	for version in 1.22 "$REFERENCE_GO"; do
		build_prog "$version" mixed
		"$PROG" -trace "$BATS_FILE_TMPDIR/$version.trace" -delay 50ms -dur 300ms -rounds 500 -tail 50ms
	done
	oracle "$REFERENCE_GO"
}

setup() {
	oracle "$REFERENCE_GO"
	A=$BATS_FILE_TMPDIR/$REFERENCE_GO.trace
	P=$BATS_TEST_TMPDIR/p.pb.gz
}

# same_as_tool TRACE [ORACLE FLAG...]: all four types.
same_as_tool() {
	local trace=$1 type
	shift
	for type in net sync syscall sched; do
		go_tool trace -pprof=$type "$trace" >"$BATS_TEST_TMPDIR/go.pb"
		"$GOTAP" pprof --type $type "$trace" >"$P"
		succeeds "$ORACLE/profile" "$@" "$BATS_TEST_TMPDIR/go.pb" "$P"
	done
}

# true_of TRACE: the other types.
true_of() {
	local type
	for type in block waker wall goroutine gc cpu; do
		"$GOTAP" pprof --type $type "$1" >"$P"
		succeeds "$ORACLE/profile" -type $type "$1" "$P"
	done
}

# samples FILE: the sum of its last value, as go tool pprof adds it up.
samples() { go_tool pprof -raw "$1" 2>/dev/null | awk '/^Locations/ { exit } /:.*[0-9]+ / && $1 ~ /^[0-9]+$/ { v = $2 ~ /:$/ ? $2 : $1; sub(/:$/, "", v); sum += v } END { printf "%.0f\n", sum }'; }

# folded ARG...: the sum of the lines.
folded() { "$GOTAP" pprof --folded "$@" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'; }

# --- beside Go -----------------------------------------------------------------------------------

@test "net, sync, syscall and sched are those of go tool trace, to the nanosecond: traces of the runtime" {
	same_as_tool "$A"
	same_as_tool "$BATS_FILE_TMPDIR/1.22.trace"
}

@test "net, sync, syscall and sched of odd traces: coroutines, ids of C code, statuses in the middle" {
	local trace
	for trace in ok_all_kinds ok_goswitch ok_status_midstream_gen1 ok_status_syscall_no_p_gen1; do
		same_as_tool "$CHECKOUT/tests/vectors/$trace.trace"
	done
}

@test "net, sync, syscall and sched of old traces, whose times are some ns apart" {
	v1_traces
	same_as_tool "$V1_TRACES/http_1_21_good" -slack 20
	same_as_tool "$V1_TRACES/stress_1_11_good" -slack 20
}

@test "block, waker, wall, goroutine, gc and cpu are what Go's reader gives" {
	true_of "$A"
	true_of "$BATS_FILE_TMPDIR/1.22.trace"
}

@test "go tool pprof of Go 1.15, 1.22 and the reference reads what is written" {
	local version type
	"$GOTAP" pprof --type wall "$A" -o "$P"
	for version in 1.15 1.22 "$REFERENCE_GO"; do
		require_go "$version"
		go_tool pprof -raw "$P" >"$BATS_TEST_TMPDIR/raw"
		grep -q '^intervals/count time/nanoseconds' "$BATS_TEST_TMPDIR/raw"
		grep -q 'reason:\[chan receive\] state:\[waiting\]' "$BATS_TEST_TMPDIR/raw"
		succeeds go_tool pprof -top -nodecount 10 "$P"
		matches ' time\.Sleep$'
		go_tool pprof -traces "$P" | grep -q 'reason:  chan receive'
		succeeds go_tool pprof -comments "$P"
		contains "gotap pprof --type wall of $A (go 1."
	done
	[ "$(samples "$P")" = "$(folded -t wall "$A")" ]
}

# --- several, parts, forms -----------------------------------------------------------------------

@test "several traces add up; the parts of a trace do, too" {
	local whole part
	whole=$(folded -t wall "$A")
	[ "$whole" -gt 1000000000 ]
	[ "$(folded -t wall "$A" "$A")" -eq $((2 * whole)) ]
	[ "$(folded -t wall - <"$A")" -eq "$whole" ]
	part=$(($(folded -t wall --to 200ms "$A") + $(folded -t wall --from 200ms "$A")))
	[ "$part" -eq "$whole" ]
	[ "$(folded -t wall --to 1h "$A")" -eq "$whole" ]
}

# The program has made most of its rounds by then, also on a busy machine.
last_but_10_ms() { "$GOTAP" text --events --no-stacks "$1" | awk 'END { printf "%.3fs\n", $1 - 0.01 }'; }

@test "block and waker are the same time; only goroutines that were asked for" {
	[ "$(folded -t block "$A")" -eq "$(folded -t waker "$A")" ]
	"$GOTAP" pprof -t wall --folded --func '^main\.' "$A" >"$BATS_TEST_TMPDIR/main"
	[ -s "$BATS_TEST_TMPDIR/main" ]
	! grep -E '^runtime\.(main|bgsweep|forcegchelper);' "$BATS_TEST_TMPDIR/main" || fail "goroutines that nobody asked for"
	[ "$("$GOTAP" pprof -t goroutine --folded -g 1 "$A" | awk '{ n += $NF } END { print n }')" -eq 1 ]
	[ "$(folded -t goroutine --at "$(last_but_10_ms "$A")" "$A")" -gt 10 ]
}

@test "a line of --folded has functions, no other semicolon, and a number" {
	"$GOTAP" pprof -t wall --folded "$A" -o "$BATS_TEST_TMPDIR/folded"
	! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' "$BATS_TEST_TMPDIR/folded" || fail "a line of another form"
	[ "$(sed 's/ [0-9]*$//' "$BATS_TEST_TMPDIR/folded" | sort | uniq -d | wc -l)" -eq 0 ]
}

# --- faults --------------------------------------------------------------------------------------

@test "of a damaged trace there is what comes before the damage, and the status is 1" {
	head -c $(($(stat -c %s "$A") * 9 / 10)) "$A" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap pprof -t wall "$BATS_TEST_TMPDIR/cut.trace" -o "$P"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "cut.trace: "
	require_go "$REFERENCE_GO"
	succeeds go_tool pprof -comments "$P"
	contains "is damaged"
	# Another one counts nevertheless.
	gotap pprof -t wall "$BATS_TEST_TMPDIR/none.trace" "$A" -o "$P"
	[ "$status" -eq 1 ]
	[ "$(samples "$P")" = "$(folded -t wall "$A")" ]
}

@test "no trace, no file: an error leaves none behind" {
	gotap pprof -t wall "$BATS_TEST_TMPDIR/none.trace" -o "$P"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e "$P" ]
	cp "$A" "$BATS_TEST_TMPDIR/a.trace"
	gotap pprof -t wall "$BATS_TEST_TMPDIR/a.trace" -o "$BATS_TEST_TMPDIR/a.trace"
	[ "$status" -eq 1 ]
	contains "is input and output"
	cmp "$A" "$BATS_TEST_TMPDIR/a.trace"
	gotap pprof -t goroutine --at 1h "$A"
	[ "$status" -eq 1 ]
	contains "the trace ends"
}

@test "wrong usage is status 2 and one line" {
	local args
	for args in "$A" "-t what $A" "-t wall" "-t wall --at 1s $A" "-t wall --from 2s --to 1s $A" "-t wall --func [ $A" \
		"-t wall - -" "-t wall --from x $A" "-t wall -g x $A" "-t wall --as-runtime $A" "-t wall --cpu-samples 100 $A" \
		"-t cpu --cpu-samples 0 $A"; do
		# shellcheck disable=SC2086
		gotap pprof $args
		[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] || fail "$args"
	done
	gotap pprof -t what "$A"
	contains "net, sync, syscall, sched, block"
	gotap pprof --help
	[ "$status" -eq 0 ]
	contains "usage: gotap pprof"
}

@test "a profile does not go to a terminal, folded stacks do" {
	require_tool script
	run_logged script -qec "'$GOTAP' pprof -t wall '$A'" /dev/null
	[ "$status" -eq 1 ]
	contains "terminal"
	run_logged script -qec "'$GOTAP' pprof -t wall --folded '$A'" /dev/null
	[ "$status" -eq 0 ]
	contains "main."
}
