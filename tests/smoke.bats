#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# One recording of a live program from end to end: what `make check` asks of the whole chain.

load lib/common
load lib/record

setup() {
	require_root
	[ -x "$CHECKOUT/build/go/go1.27/bin/go" ] || skip "no Go 1.27 in build/go: tools/go-fetch 1.27"
}

teardown() { stop_targets; }

@test "a live program, an exec and a spool file give traces that keep all rules" {
	local trace=$BATS_TEST_TMPDIR/a.trace
	build_prog 1.27 mixed
	start_target "$PROG" -delay 10m
	recorded "$trace" -d 300ms -p "$TARGET" --spool "$BATS_TEST_TMPDIR/spool"
	succeeds "$GOTAP" check "$trace"
	succeeds "$GOTAP" assemble -q --strict "$BATS_TEST_TMPDIR/spool" -o "$BATS_TEST_TMPDIR/b.trace"
	cmp "$trace" "$BATS_TEST_TMPDIR/b.trace"
	"$GOTAP" text "$trace" | grep -q '^GoBlock '
	recorded "$BATS_TEST_TMPDIR/c.trace" -- "$PROG" -dur 200ms
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/c.trace"
}
