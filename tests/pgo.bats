#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Builds with profile-guided optimization, in which the compiler has put casgstatus, and whatever else gotap would
# probe, into its callers: from a real CPU profile, and from made-up ones (tests/pgo/hot.go) that make it do so
# wherever it can.

load lib/common
load lib/record
load lib/differential
load lib/modes
load lib/hot

setup() {
	require_root
	oracle "$REFERENCE_GO"
}

teardown() { stop_targets; }

# has_probes_in FUNCTION...: in these functions of $PROG.
has_probes_in() {
	local function
	succeeds "$GOTAP" doctor "$PROG"
	for function; do
		matches "^  runtime.$function +0x"
	done
}

inlined_everywhere() {
	hot_profile "$1" "${HOT[@]}"
	build_prog "$1" mixed "-pgo=$PROFILE"
	has_probes_in execute park_m ready injectglist findRunnable
	[ "$1" = 1.21 ] || matches '^  runtime\.\(\*mcache\)\.refill .* behind xadd'
	compare "Go $1, casgstatus inlined wherever it is called" 2
}

# Its own trace is of the older format: limits as in oldgo.bats.
# bats test_tags=soak-only
@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go 1.21" {
	LIMITS=(-min-recall 0.999 -min-precision 0.999 -min-reasons 0.99 -min-stacks 0.999 -min-threads 0.9
		-min-proc-recall 0.999 -min-proc-precision 0.9)
	inlined_everywhere 1.21
}
# for releases 1.22 1.24 1.26 newest (inline newest; soak-only not newest):
#	@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go %" { inlined_everywhere %; }
# bats test_tags=soak-only
@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go 1.22" { inlined_everywhere 1.22; }
# bats test_tags=soak-only
@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go 1.24" { inlined_everywhere 1.24; }
# bats test_tags=soak-only
@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go 1.26" { inlined_everywhere 1.26; }
# bats test_tags=inline
@test "with casgstatus inlined everywhere gotap sees what the runtime sees: Go 1.27" { inlined_everywhere 1.27; }
# end of releases

# bats test_tags=soak-only
@test "a real CPU profile" {
	real_profile
	build_prog 1.27 mixed "-pgo=$PROFILE"
	has_probes_in execute ready
	compare "Go 1.27, -pgo" 2
}

@test "what was inlined and has no other probe is told: as a loss, or as an error where no trace can do without" {
	local trace=$BATS_TEST_TMPDIR/a.trace
	hot_profile 1.27 releaseAll:update gopreempt_m:goschedImpl startlockedm:releasep
	build_prog 1.27 pingpong "-pgo=$PROFILE"
	start_target "$PROG"
	run_logged "$GOTAP" record --budget none -d 1s -o "$trace" -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "-pgo has inlined runtime.releasep into runtime.startlockedm"
	# The labels of mark workers may have been inlined away, too.
	hot_profile 1.27 releaseAll:update findRunnable:casgstatus
	build_prog 1.27 pingpong "-pgo=$PROFILE"
	start_target "$PROG"
	recorded "$trace" -d 300ms -p "$TARGET"
	views_ok "$trace"
	grep -E '"missing_probes": \[[^]]*"runtime\.findRunnable"' "$REPORT"
	grep -E '"missing_probes": \[[^]]*"runtime\.\(\*gcControllerState\)\.update"' "$REPORT"
	[ "$(grep -o '"missing_probes": \[[^]]*\]' "$REPORT" | grep -o runtime | wc -l)" -eq 2 ]
}

# bats test_tags=soak-only
@test "doctor says that requests are not seen where -pgo has inlined the call that they begin with" {
	PACKAGE=net/http hot_profile 1.27 serve:ServeHTTP
	build_prog 1.27 requests "-pgo=$PROFILE"
	succeeds "$GOTAP" doctor "$PROG"
	contains "the trace lacks requests (net/http.(*conn).serve does not call net/http.serverHandler.ServeHTTP)"
}
