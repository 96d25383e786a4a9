#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# One engine: `gotap report` and `gotap why` give the same time to the same place, ns by ns, and the shares of the
# sentences of a report are the whole (tests/lib/agree.py).

load lib/common
load lib/record

teardown() { stop_targets; }

# agree LEAST TRACE...: and at least so many instances were compared.
agree() {
	local least=$1
	shift
	succeeds python3 "$CHECKOUT/tests/lib/agree.py" "$GOTAP" "$@"
	[ "$(awk 'END { print $1 }' <<<"$output")" -ge "$least" ] || fail "fewer than $least"
}

@test "vectors" {
	agree 1 "$CHECKOUT"/tests/vectors/ok_*.trace
}

@test "the runtime's own traces, of formats of all ages" {
	local version
	for version in 1.19 1.22 1.27; do
		build_prog "$version" mixed
		"$PROG" -trace "$BATS_TEST_TMPDIR/$version.trace" -delay 50ms -dur 700ms -rounds 1000 -tail 0 >/dev/null
	done
	agree 3 "$BATS_TEST_TMPDIR"/*.trace
}

@test "gotap's traces" {
	require_root
	shared_recording "$REFERENCE_GO" mixed -procs -delay 10m
	agree 1 "$SHARED"
}

@test "a time with nine digits is that ns" {
	local n
	build_prog 1.27 mixed
	"$PROG" -trace "$BATS_TEST_TMPDIR/own.trace" -delay 50ms -dur 200ms -rounds 100 -tail 0 >/dev/null
	for n in 1005 1008 1011 131064 131069 131071; do
		"$GOTAP" why --json "$BATS_TEST_TMPDIR/own.trace" --from "0.$(printf %09d $n)" --to 0.1 | jq -e ".from_ns == $n"
	done
}
