#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# --attach inline gives the same truth, within the same limits: the tests with the tag "inline", once more, with
# ATTACH=inline (lib/record); those with the tag "inline-soak" only in make soak. Each of their recordings fails if it was not one with code in the program, or left
# anything there. "ATTACH=inline bats --filter-tags inline tests/diff.bats" runs those of one file by themselves.

load lib/common

setup() { require_root; require_inline; }

# again FILE [TAGS]: runs these tests and prints their explanations and results; the output of those that failed comes last,
# where the report of tests/run takes it from.
again() {
	local log=$BATS_TEST_TMPDIR/log
	ATTACH=inline bats --tap --filter-tags "${2:-inline,!soak-only}" "$CHECKOUT/tests/$1.bats" >"$log" 2>&1 3>&- || failed_again "$1" || return
	! grep -q "^## ." "$log" || explain "$(sed -n "s/^## //p" "$log")"
	cat "$log"
	grep -Ev '# skip' "$log" | grep -q '^ok ' || skip "$(sed -n 's/.*# skip //p' "$log" | head -n 1)"
}

failed_again() {
	explain "$(awk -v file="$1" -f "$CHECKOUT/tests/lib/excerpts.awk" "$log")"
	cat "$log"
	return 1
}

@test "the differential test" { again diff; }
@test "Go 1.19 and 1.21" { again oldgo; }
@test "what the linker can make of a program" { again buildmodes; }
# bats test_tags=soak-only
@test "profile-guided optimization" { again pgo; }
@test "coroutines" { again coro; }
@test "annotations" { again annotations; }
@test "ranges, metrics and labels" { again ranges; }
@test "spans and stacks" { again memory; }
@test "CPU samples" { again samples; }
@test "cgo" { again cgo; }
@test "attaching" { again attach; }
@test "launching" { again launch; }
@test "how a recording ends" {
	again stop
	again ends
}
@test "losses" { again overload; }

# bats test_tags=soak-only
@test "other releases, and other ways to link a program" {
	again annotations inline-soak
	again attach inline-soak
	again buildmodes inline-soak
	again coro inline-soak
	again diff inline-soak
	again oldgo inline-soak
	again ranges inline-soak
}
