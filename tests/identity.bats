#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is probed is what was looked at: a program that becomes another one meanwhile gets no breakpoint.

load lib/common
load lib/record

setup() {
	require_root
	require_tool cc dd cmp
	require_kernel 6.10
}

teardown() { stop_targets; }

@test "the target execs another program between the look at its binary and the first probe" {
	local other
	build_prog "$REFERENCE_GO" mixed
	other=$PROG
	build_prog "$REFERENCE_GO" exec
	cc -O1 -shared -fPIC -o "$BATS_TEST_TMPDIR/exec_between.so" "$CHECKOUT/tests/lib/exec_between.c" -ldl
	start_target "$PROG" -signal "$other" -delay 10m
	TARGET=$TARGET LD_PRELOAD=$BATS_TEST_TMPDIR/exec_between.so run_logged "$GOTAP" record -p "$TARGET" -d 1s -o "$BATS_TEST_TMPDIR/trace"
	[ "$status" -eq 1 ]
	contains "has exec'ed another program"
	[ "$(readlink "/proc/$TARGET/exe")" = "$other" ]
	text_is_clean "$TARGET"
	recorded "$BATS_TEST_TMPDIR/trace" -p "$TARGET" -d 100ms
}
