#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# The order of stores on arm64: litmus tests of the ring, through all executions that the architecture allows
# (tests/litmus/check; herd7 where it is there), and the ring itself on this hardware.

load lib/common

files() { printf '%s\n' "$CHECKOUT/tests/litmus/$1"/*.litmus; }

# Their verdicts are those of Arm and of herd7's catalogue.
@test "known litmus tests have the known verdicts" {
	local -a known
	mapfile -t known < <(files known)
	[ "${#known[@]}" -gt 25 ]
	succeeds "$CHECKOUT/tests/litmus/check" "${known[@]}"
}

@test "the ring's litmus tests: what must not be is forbidden, and allowed with the stores of amd64" {
	local -a ours
	mapfile -t ours < <(files gotap)
	succeeds "$CHECKOUT/tests/litmus/check" "${ours[@]}"
	contains 'submit-drain.litmus: Forbidden'
	contains 'submit-drain-plain.litmus: Allowed'
	contains 'seen-submit.litmus: Forbidden'
	contains 'drain-reserve.litmus: Forbidden'
}

# A plain store of the key would rest on the rule of 2022.
@test "the key of a stack follows its record also by the model of before 2022" {
	local file=$CHECKOUT/tests/litmus/gotap/seen-submit
	succeeds "$CHECKOUT/tests/litmus/check" --before-2022 "$file.litmus" "$file-pair.litmus"
	sed 's/SWPAL W2,W5,\[X3\]/STR W2,[X3]/' "$file.litmus" >"$BATS_TEST_TMPDIR/x.litmus"
	run_logged "$CHECKOUT/tests/litmus/check" --before-2022 "$BATS_TEST_TMPDIR/x.litmus"
	[ "$status" -eq 1 ]
	contains 'x.litmus: Allowed, expected Forbidden'
}

# Debian has no herd7.
@test "herd7 says the same" {
	local file want
	require_tool herd7
	for file in "$CHECKOUT"/tests/litmus/*/*.litmus; do
		want=$(sed -n 's/.*expect: \(Allowed\|Forbidden\).*/\1/p' "$file")
		succeeds herd7 "$file"
		case $want in
		Allowed) matches '^Observation .* (Sometimes|Always) ' ;;
		Forbidden) matches '^Observation .* Never ' ;;
		esac
	done
}

@test "a test with another verdict fails" {
	sed 's/expect: Forbidden/expect: Allowed/' "$CHECKOUT/tests/litmus/gotap/submit-drain.litmus" >"$BATS_TEST_TMPDIR/x.litmus"
	run_logged "$CHECKOUT/tests/litmus/check" "$BATS_TEST_TMPDIR/x.litmus"
	[ "$status" -eq 1 ]
	contains 'x.litmus: Forbidden, expected Allowed'
}

@test "make stress: each record of the ring is whole" {
	make -s -C "$CHECKOUT" "BUILD=$BUILD" "$BUILD/stress/rings"
	succeeds "$BUILD/stress/rings" --seconds 1 --threads 2
	contains 'torn 0, out of order 0, keys without a record 0'
}
