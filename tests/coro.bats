#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Coroutines (iter.Pull): switches as they are, and in a trace for readers before Go 1.23 the events that those have.

load lib/common
load lib/record

setup() { require_root; }
teardown() { stop_targets; }

record_pull() {
	build_prog "$1" pull
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/x.trace" -d 700ms -p "$TARGET" --format "$2"
}

switches() {
	record_pull "$1" go1.25
	views_ok "$BATS_TEST_TMPDIR/x.trace"
	succeeds "$GOTAP" text "$BATS_TEST_TMPDIR/x.trace"
	[ "$(grep -c '^GoSwitch ' <<<"$output")" -gt 100 ]
	[ "$(grep -c '^GoSwitchDestroy ' <<<"$output")" -gt 50 ]
	[ "$(grep -c '^GoCreateBlocked ' <<<"$output")" -gt 50 ]
} >"$BATS_TEST_TMPDIR/log"

# for releases 1.23+ (inline newest; inline-soak 1.23; soak-only not 1.23 newest):
#	@test "iter.Pull, Go %" { switches %; }
# bats test_tags=inline-soak
@test "iter.Pull, Go 1.23" { switches 1.23; }
# bats test_tags=soak-only
@test "iter.Pull, Go 1.24" { switches 1.24; }
# bats test_tags=soak-only
@test "iter.Pull, Go 1.25" { switches 1.25; }
# bats test_tags=soak-only
@test "iter.Pull, Go 1.26" { switches 1.26; }
# bats test_tags=inline
@test "iter.Pull, Go 1.27" { switches 1.27; }
# end of releases

# bats test_tags=inline-soak
@test "a trace of coroutines for readers of Go 1.22" {
	record_pull 1.27 go1.22
	views_ok "$BATS_TEST_TMPDIR/x.trace"
	readable_by 1.22 "$BATS_TEST_TMPDIR/x.trace"
	succeeds "$GOTAP" text "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/log"
	! grep -Eq '^(GoSwitch|GoSwitchDestroy|GoCreateBlocked|GoStatusStack) ' <<<"$output" || fail "an event that Go 1.22 does not know"
	[ "$(grep -c '^GoStart ' <<<"$output")" -gt 200 ]
}
