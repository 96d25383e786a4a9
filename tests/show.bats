#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What others name their files does not reach a terminal as it is, and the verdict comes first.

load lib/common

teardown() { stop_targets; }

@test "a program named with an escape: ps, doctor, errors and JSON show it" {
	local dir name
	require_root
	build_prog "$REFERENCE_GO" mixed
	name=$'a\e[31m\x9b\u202eb'
	cp "$PROG" "$BATS_TEST_TMPDIR/$name"
	start_target "$BATS_TEST_TMPDIR/$name" -delay 1m
	for dir in "ps" "ps --json" "doctor -p $TARGET" "doctor --json -p $TARGET" "record -o $BATS_TEST_TMPDIR/none/$name -p $TARGET"; do
		# shellcheck disable=SC2086
		run_logged "$GOTAP" $dir
		! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$output" || fail "a control character of $dir"
		! grep -q $'\u202e' <<<"$output" || [[ $dir == *json* ]] || fail "a mark of direction"
	done
	run_logged "$GOTAP" check "$BATS_TEST_TMPDIR/none/$name"
	contains 'a\x1b[31m\x9b\xe2\x80\xaeb'
}

@test "doctor begins with its verdict, and events lists a function once in a group" {
	run_logged "$GOTAP" doctor "$GOTAP"
	[[ ${lines[0]} == "Cannot trace: "* ]]
	run_logged "$GOTAP" events
	[ "$(grep -o 'runtime.(\*sweepLocked).sweep ' <<<"$output" | wc -l)" -eq 1 ]
}

@test "text and gzip where a trace is wanted: the command for it is named" {
	"$GOTAP" text "$CHECKOUT/tests/vectors/ok_string_1024.trace" >"$BATS_TEST_TMPDIR/text"
	gzip -c "$CHECKOUT/tests/vectors/ok_string_1024.trace" >"$BATS_TEST_TMPDIR/gz"
	gotap text "$BATS_TEST_TMPDIR/text"
	contains "gotap wire"
	gotap check "$BATS_TEST_TMPDIR/text"
	contains "gotap wire"
	gotap text "$BATS_TEST_TMPDIR/gz"
	contains gunzip
}
