#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A program that execs itself: the recording ends there, with all of the old program and nothing of the new one, which
# runs the same code at the same addresses.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

times_ready() { grep -cx ready "$TARGET_OUT"; }

is_newer() { [ "$(times_ready)" -gt "$READY" ]; }

# one_image VERSION [COMMAND...]: records the program from soon after an exec to the next one. If that comes while gotap
# still attaches, as on a busy machine, there is no trace: then the time between execs gets longer. It is as short as
# that allows, because the program makes records all the time.
one_image() {
	local every
	build_prog "$1" selfexec
	for every in 700ms 1500ms 3s 6s 12s 24s; do
		start_target "${@:2}" "$PROG" -every "$every"
		READY=$(times_ready)
		wait_for 60 is_newer
		record "$TRACE" --strict -p "$TARGET"
		came_too_late || break
		stop_target
	done
	[ "$status" -eq 0 ] || fail "not a flawless recording: $(flaws)"
	[ "$(reported ended)" = "the program has exec'ed another" ]
	views_ok "$TRACE"
	target_runs
}

came_too_late() {
	grep -q "exec'ed another program \(while\|meanwhile\)\|exec'ed another before its goroutines" "$REPORT"
}

# for releases 1.23 newest (soak-only not newest):
#	@test "each recording is of one of them, Go %" { one_image %; }
# bats test_tags=soak-only
@test "each recording is of one of them, Go 1.23" { one_image 1.23; }
@test "each recording is of one of them, Go 1.27" { one_image 1.27; }
# end of releases

# All addresses are the same then, also that of the stack.
@test "without randomized addresses" {
	require_tool setarch
	one_image 1.27 setarch -R
}

# bats test_tags=soak
@test "a program that execs all the time: each recording that fails says so" {
	local n
	build_prog 1.27 selfexec
	start_target "$PROG" -every 60ms
	for ((n = 0; ; n++)); do
		goes_on 12 "$n" || break
		record "$TRACE" --budget none -d 5ms -p "$TARGET"
		[ "$status" -eq 0 ] || came_too_late || fail "$(cat "$REPORT")"
	done
	target_runs
}

# Then the recording ends at the last look before the exec: a little shorter, and as true.
@test "without the tracepoint of an exec" {
	require_tool cc
	cc -O1 -shared -fPIC -o "$BATS_TEST_TMPDIR/no_exec_watch.so" "$CHECKOUT/tests/lib/no_exec_watch.c" -ldl
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$BATS_TEST_TMPDIR/no_exec_watch.so" "$GOTAP" >"$BATS_TEST_TMPDIR/bin/gotap"
	chmod +x "$BATS_TEST_TMPDIR/bin/gotap"
	GOTAP=$BATS_TEST_TMPDIR/bin/gotap one_image 1.27
	grep -qx 'no exec tracepoint' "$REPORT"
}
