#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Traces of Go 1.21 and older as text and back: the same bytes, whatever the release that wrote them.

load lib/common
load lib/v1

# comes_back TRACE: its text gives the same bytes.
comes_back() {
	succeeds "$GOTAP" text "$1" -o "$BATS_TEST_TMPDIR/t.txt"
	succeeds "$GOTAP" wire "$BATS_TEST_TMPDIR/t.txt" -o "$BATS_TEST_TMPDIR/t.trace"
	cmp "$1" "$BATS_TEST_TMPDIR/t.trace"
}

@test "every canned trace, 1.5 to 1.21, of Go 1.15 to 1.27 comes back from its text byte for byte" {
	local version trace n=0
	for version in "${ALL_GO[@]}"; do
		require_go "$version"
		while read -r trace; do
			comes_back "$trace"
			n=$((n + 1))
		done < <(find "${GO%/bin/go}/src/internal/trace" -name '*_good' -o -name '*_unordered')
	done
	[ "$n" -ge 100 ]
}

@test "the stacks of Go 1.21, whose lengths take ten bytes, say so" {
	require_go "$REFERENCE_GO"
	"$GOTAP" text "$CHECKOUT/build/go/go$REFERENCE_GO/src/internal/trace/internal/tracev1/testdata/http_1_21_good" >"$BATS_TEST_TMPDIR/t.txt"
	grep -qE '^Stack id=[0-9]+ n=[0-9]+ L=[0-9]+/10$' "$BATS_TEST_TMPDIR/t.txt"
	! grep -E '^Stack id=[0-9]+ n=[0-9]+$' "$BATS_TEST_TMPDIR/t.txt"
}

@test "a trace before 1.5 comes back, from standard input, and with names in its text" {
	local pc
	build_prog "$REFERENCE_GO" mixed
	pc=$((0x$("$GO" tool nm "$PROG" | awk '$3 == "main.main" { print $1 }') + 1))
	made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; ProcStart; GoStart 1; @10 GoSched 5; GoStart 1; GoEnd; ProcStop
		Stack 5 $pc 4096; Frequency 1000000000; hex c6 81 00 05
	END
	comes_back "$MADE"
	"$GOTAP" text - <"$MADE" | "$GOTAP" wire - -o - | cmp - "$MADE"
	gotap text --binary "$PROG" "$MADE"
	matches "^	pc=$pc func=\"main\.main\" file="
	"$GOTAP" text --binary "$PROG" "$MADE" | "$GOTAP" wire - -o - | cmp - "$MADE"
}

@test "numbers behind the frames of a stack before 1.5 come back, too" {
	made gotrace <<<"Batch 0 1000; GoCreate 1 4096 0; GoStart 1; hex c3 05 05 01 07 08 09; Frequency 1000000000"
	succeeds "$GOTAP" check "$MADE"
	comes_back "$MADE"
}

@test "gotap wire names the line that is wrong in a text of an old format, and leaves no file" {
	printf 'Trace Go1.19\nBatch p=0 ticks=1\nGoStart dt=1 g=5\n' >"$BATS_TEST_TMPDIR/t.txt"
	gotap wire "$BATS_TEST_TMPDIR/t.txt" -o "$BATS_TEST_TMPDIR/t.trace"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "t.txt: line 3: argument 'seq' is missing"
	[ ! -e "$BATS_TEST_TMPDIR/t.trace" ]
}

@test "a header of a release that wrote none is one of a release that is not known, whatever its number" {
	local version command
	for version in 6 12 20 27; do
		{ printf 'go 1.%d trace' "$version"; head -c 40 /dev/zero; } | head -c 40 >"$BATS_TEST_TMPDIR/x.trace"
		for command in check text "text --events" report; do
			# shellcheck disable=SC2086
			gotap $command "$BATS_TEST_TMPDIR/x.trace"
			[ "$status" -ne 0 ]
			contains "unknown or unsupported trace version go 1.$version"
		done
	done
}

@test "text of a damaged trace of an old format prints what comes before the damage" {
	made 11 <<<"Batch 0 1; ProcStart 7; ProcStop; hex 3f 01"
	gotap text "$MADE"
	[ "$status" -eq 1 ]
	[ "${lines[3]}" = "ProcStop dt=1" ]
	contains "unknown event type 63 at offset"
	gotap text "$MADE" -o "$BATS_TEST_TMPDIR/t.txt"
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/t.txt" ]
}
