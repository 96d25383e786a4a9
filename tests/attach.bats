#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record -p: attaching to a program that runs already.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

attach_to() {
	build_prog "$1" mixed
	start_target "$PROG" -procs -delay 10m
	recorded "$TRACE" -p "$TARGET" -d 1300ms
	views_ok "$TRACE"
	[ "$(reported lost)" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	# One for each second or so, and one that states how all is at the end.
	[ "$(reported generations)" -ge 2 ]
	[ "$(reported missing_probes)" = "[]" ]
	readable_by 1.25 "$TRACE"
}

# for releases 1.22+ (inline newest; inline-soak 1.23; soak-only not 1.22 newest):
#	@test "attach to a Go % program" { attach_to %; }
@test "attach to a Go 1.22 program" { attach_to 1.22; }
# bats test_tags=inline-soak,soak-only
@test "attach to a Go 1.23 program" { attach_to 1.23; }
# bats test_tags=soak-only
@test "attach to a Go 1.24 program" { attach_to 1.24; }
# bats test_tags=soak-only
@test "attach to a Go 1.25 program" { attach_to 1.25; }
# bats test_tags=soak-only
@test "attach to a Go 1.26 program" { attach_to 1.26; }
# bats test_tags=inline
@test "attach to a Go 1.27 program" { attach_to 1.27; }
# end of releases

# Coroutines are what older headers cannot say.
every_header() {
	local format
	build_prog "$1" mixed
	start_target "$PROG" -delay 10m
	for format in 1.22 1.23 1.25 1.26; do
		recorded "$TRACE$format" -p "$TARGET" -d 50ms --format "go$format"
		trace_ok "$TRACE$format"
		head -c 10 "$TRACE$format" | grep -q "^go $format t"
		readable_from "$format" "$TRACE$format"
	done
}

# for releases 1.22 newest:
#	@test "every header is read by the releases that know it, from a Go % program" { every_header %; }
@test "every header is read by the releases that know it, from a Go 1.22 program" { every_header 1.22; }
@test "every header is read by the releases that know it, from a Go 1.27 program" { every_header 1.27; }
# end of releases

@test "perf uprobes give what uprobe_multi gives" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	recorded "$TRACE" -p "$TARGET" -d 200ms --attach perf
	[ "$(reported attach)" = perf ]
	views_ok "$TRACE"
}

# bats test_tags=inline
@test "a program that moved to other addresses (PIE)" {
	build_prog "$REFERENCE_GO" mixed -buildmode=pie
	start_target "$PROG" -delay 10m
	recorded "$TRACE" -p "$TARGET" -d 200ms
	views_ok "$TRACE"
	[ "$(reported stacks_lost)" -eq 0 ]
	"$ORACLE/check" -stacks "$TRACE" | grep -q 'main\.selecting\.func'
}

# goroutines_in_dump FILE: the ids in what a Go program prints when SIGQUIT ends it; goroutine 0 is a thread's own.
goroutines_in_dump() { sed -nE 's/^goroutine ([1-9][0-9]*) .*/\1/p' "$1" | sort -u; }

quit_target() {
	kill -QUIT "$TARGET"
	wait_target
}

# attaches: fifteen at random moments to a program at full load: each valid, each with every goroutine.
attaches() {
	local i
	rm -f "$TRACE".*
	GOMAXPROCS=2 GOTRACEBACK=system start_target "$PROG"
	recorded_at_random 3 150 "$TRACE" -p "$TARGET"
	quit_target
	trace_ok "$TRACE".*
	goroutines_in_dump "$TARGET_OUT" >"$BATS_TEST_TMPDIR/true"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/true")" -ge 33 ]
	for i in "$TRACE".*; do
		goroutines_of "$i" | comm -13 - "$BATS_TEST_TMPDIR/true" >"$BATS_TEST_TMPDIR/missing"
		[ ! -s "$BATS_TEST_TMPDIR/missing" ] || fail "$i lacks: $(cat "$BATS_TEST_TMPDIR/missing")"
	done
	[ "$(ls "$TRACE".* | wc -l)" -eq 15 ]
}

# bats test_tags=soak
@test "attaches at random moments to a program at full load: each valid, each with every goroutine" {
	local n
	soak_seed
	build_prog "$REFERENCE_GO" fullload
	for ((n = 0; ; n++)); do
		goes_on 1 "$n" || break
		attaches
	done
}

# bats test_tags=inline
@test "an attach while goroutines come and go by the thousand" {
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG"
	recorded "$TRACE" -p "$TARGET" -d 100ms
	trace_ok "$TRACE"
}

# stacks_in_dump FILE: one line per goroutine, "function file:line" of each frame joined, as the runtime's tracer has
# them: without goexit, runtime.main under main.main, and the wrappers that go statements with arguments make.
stacks_in_dump() {
	awk '
		function finish() { if (id && stack != "") print stack; id = 0; stack = "" }
		/^goroutine / { finish(); id = $2; next }
		/^created by / || /^$/ { finish(); next }
		id && /^\t/ { if (name !~ /^runtime\.(goexit|main)$|\.gowrap[0-9]+$/) stack = stack name " " $1 "; "; next }
		id { name = $0; sub(/\([^()]*\)$/, "", name) }
		END { finish() }' "$1" | sort
}

# statuses_of FILE: the same lines from the statuses at the beginning of a trace.
statuses_of() {
	"$ORACLE/check" -stacks "$1" | awk '
		function finish() { while (n-- > 0) print stack; n = 0; stack = "" }
		/^stack / { finish(); if (/Undetermined->Waiting$/) n = $2; next }
		n { stack = stack $1 " " $2 "; " }
		END { finish() }' | sort
}

# target_rests: each thread of the target sleeps, two times in a row: its goroutines have come to where they stay.
target_rests() {
	local i
	for i in 1 2; do
		! grep -L '^State:.S' "/proc/$TARGET/task/"*/status | grep -q . || return
		sleep 0.02
	done
}

true_stacks() {
	build_prog "$1" "$2"
	GOTRACEBACK=system start_target "$PROG" "${@:3}"
	wait_for 60 target_rests
	recorded "$TRACE" -p "$TARGET" -d 20ms
	trace_ok "$TRACE"
	quit_target
	stacks_in_dump "$TARGET_OUT" >"$BATS_TEST_TMPDIR/true"
	statuses_of "$TRACE" >"$BATS_TEST_TMPDIR/seen"
	diff "$BATS_TEST_TMPDIR/true" "$BATS_TEST_TMPDIR/seen"
}

@test "parked goroutines have their true stacks from the first moment on, Go 1.22" {
	true_stacks 1.22 sleepers -n 3 -tick 1h
	[ "$(grep -c main.on "$BATS_TEST_TMPDIR/seen")" -eq 27 ]
}

# bats test_tags=inline
@test "parked goroutines have their true stacks from the first moment on, Go 1.27" {
	true_stacks 1.27 sleepers -n 3 -tick 1h
	[ "$(grep -c main.on "$BATS_TEST_TMPDIR/seen")" -eq 27 ]
}

@test "a stack of 80 calls, two of them inlined, is whole" {
	true_stacks "$REFERENCE_GO" deepstack -depth 80 -tick 1h
	[ "$(grep -o main.descend "$BATS_TEST_TMPDIR/seen" | wc -l)" -eq 81 ]
	grep -q 'main.inlinedOnce.*main.inlinedTwice.*main.bottom' "$BATS_TEST_TMPDIR/seen"
}

@test "a stack deeper than the format allows keeps its leaf" {
	build_prog "$REFERENCE_GO" deepstack
	start_target "$PROG" -depth 300 -tick 1h
	wait_for 60 target_rests
	recorded "$TRACE" -p "$TARGET" -d 100ms
	trace_ok "$TRACE"
	statuses_of "$TRACE" | grep main.bottom >"$BATS_TEST_TMPDIR/deep"
	[ "$(grep -o ';' "$BATS_TEST_TMPDIR/deep" | wc -l)" -le 128 ]
	[ "$(grep -o main.descend "$BATS_TEST_TMPDIR/deep" | wc -l)" -ge 115 ]
}

# bats test_tags=inline
@test "--stack-depth cuts stacks, and 0 leaves them out" {
	build_prog "$REFERENCE_GO" deepstack
	start_target "$PROG" -depth 50
	recorded "$TRACE" -p "$TARGET" -d 100ms --stack-depth 4
	trace_ok "$TRACE"
	! statuses_of "$TRACE" | grep -q main.descend || fail "a frame too many"
	recorded "$TRACE" -p "$TARGET" -d 100ms --stack-depth 0
	trace_ok "$TRACE"
	[ "$(reported stacks)" -eq 0 ]
	[ -z "$("$ORACLE/check" -stacks "$TRACE" | grep ^stack)" ]
}

@test "100,000 parked goroutines are all declared" {
	build_prog "$REFERENCE_GO" many
	start_target "$PROG" -n 100000
	recorded "$TRACE" -p "$TARGET" -d 100ms
	trace_ok "$TRACE"
	[ "$(count_of "$TRACE" 'Go Undetermined->Waiting')" -ge 100000 ]
}

@test "two recordings of one program at the same time" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	start_record "$TRACE.2" --strict -p "$TARGET" -d 500ms
	recorded "$TRACE" -p "$TARGET" -d 100ms
	wait_record
	[ "$status" -eq 0 ]
	trace_ok "$TRACE" "$TRACE.2"
}
