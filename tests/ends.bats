#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# How the program ended, or that it was stopped: what the report and the exit status say of it.

load lib/common
load lib/record

setup() {
	require_root
	TRACE=$BATS_TEST_TMPDIR/x.trace
}

teardown() { stop_targets; }

LOADER=/lib64/ld-linux-x86-64.so.2

# A program that is linked with libraries: its loader runs first.
dynamic() { build_prog "$REFERENCE_GO" exitquick -buildmode=pie; }

@test "a program that ends before its runtime begins leaves no file, and one line says so" {
	dynamic
	echo old >"$TRACE"
	gotap record -o "$TRACE" -- env LD_TRACE_LOADED_OBJECTS=1 "$PROG"
	[ "$status" -eq 125 ]
	[ "$(grep -c '^gotap: ' <<<"$output")" -eq 1 ]
	contains "gotap: the program ended before its Go runtime began (exit status 0): there is nothing to trace"
	[ "$(cat "$TRACE")" = old ]
}

@test "the report says how the program ended" {
	build_prog "$REFERENCE_GO" exitquick
	record "$TRACE" -- "$PROG" -status 3
	[ "$status" -eq 3 ]
	[ "$(reported exit)" = "(exit status 3)" ]
	build_prog "$REFERENCE_GO" pingpong
	start_record "$TRACE" -- "$PROG"
	pkill -KILL -P "$RECORDER" -x pingpong
	wait_record
	[ "$status" -eq 137 ]
	[ "$(reported exit)" = "(signal 9, Killed)" ]
}

# The shell that reaps it is this one.
# bats test_tags=inline
@test "the report says how a program ended that gotap did not start, where the kernel tells" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	start_record "$TRACE" -p "$TARGET"
	kill -KILL "$TARGET"
	wait "$TARGET" || true
	wait_record
	[ "$status" -eq 0 ]
	require_kernel 6.15
	[ "$(reported exit)" = "(signal 9, Killed)" ]
}

@test "a program that the loader runs by name" {
	[ -x "$LOADER" ] || skip "no $LOADER"
	dynamic
	recorded "$TRACE" -- "$LOADER" --library-path /nowhere:/lib "$PROG" -n 20
	views_ok "$TRACE"
	"$ORACLE/check" -goroutines "$TRACE" | grep -c main.work
}
