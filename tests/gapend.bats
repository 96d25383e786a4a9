#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A recording that ends while there are no probes, for the budget: its time and its shares are those of the recording, not of
# the part with probes, and the report says how much is missing.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# A budget that is spent in an instant, so that every recording of this length ends without probes.
ends_in_gap() {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	record "$TRACE" -p "$TARGET" -d "$1s" --budget 0.01
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	[ "$(reported budget_slices)" -ge 1 ]
	# How long it took, at least as long as it was to be; what is missing is a part of it, and most of it.
	awk -v want="$1" -v s="$(length)" -v missing="$(reported unrecorded_seconds)" \
		'BEGIN { exit !(s >= want && missing > 0 && missing <= s) }'
}

# Of the recording, in seconds; the fields of the steps have the same name.
length() { grep -oE '"pid": [0-9]+, "seconds": [0-9.]+' "$REPORT" | sed 's/.* //'; }

@test "one second: as long as the recording, with what was not recorded" { ends_in_gap 1; }
@test "three seconds" { ends_in_gap 3; }

@test "the report for people says what was not recorded" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	gotap record -v -o "$TRACE" -p "$TARGET" -d 1s --budget 0.01
	[ "$status" -eq 0 ]
	matches '^not recorded: [0-9.]+ s; '
	matches '^budget: [0-9]+ slices without probes$'
	matches '^budget: from [0-9.]+ s on slices .*, 0\.01 % are allowed$'
	matches '^lost: 0, repairs: 0, not recorded: [0-9.]+ s, budget from [0-9.]+ s on: slices of time only( \([0-9]+ changes\))?, slices without probes: [0-9]+'
}

# What cannot be held in so short a time is not called kept.
@test "a recording too short for its ceiling says which time would do" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	gotap record -v -o "$TRACE" -p "$TARGET" -d 300ms --budget 0.01
	[ "$status" -eq 0 ]
	matches '^cost: in the program, the probes took about [0-9.]+ % of a CPU(, [0-9.]+ % of the program.s CPU time)?; 0\.01 % of a CPU are allowed: too short a recording for that, which takes [0-9.]+ s here$'
	record "$TRACE" -p "$TARGET" -d 300ms --budget 0.01
	awk -v needs="$(reported budget_needs_seconds)" -v s="$(length)" 'BEGIN { exit !(needs > s) }'
}
