#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group sql: calls of database/sql. The driver of tests/prog/queries.go counts what it is asked for, and the program has
# tasks of its own around its calls.

load lib/common
load lib/record

setup() { require_root; }

teardown() { stop_targets; }

# asks VERSION [ARGUMENT...]: the trace of a program that is recorded from its begin to its end has what its driver did.
asks() {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog "$1" queries
	"$GOTAP" record -o "$trace" --budget none --strict -e +sql "${@:2}" -- "$PROG" 20 100 \
		>"$BATS_TEST_TMPDIR/counted" 2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$trace"
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/queries.py" "$BATS_TEST_TMPDIR/counted" "$BATS_TEST_TMPDIR/events"
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "queries of a Go % program" { asks %; }
@test "queries of a Go 1.15 program" { asks 1.15; }
# bats test_tags=soak-only
@test "queries of a Go 1.19 program" { asks 1.19; }
# bats test_tags=soak-only
@test "queries of a Go 1.21 program" { asks 1.21; }
# bats test_tags=soak-only
@test "queries of a Go 1.22 program" { asks 1.22; }
# bats test_tags=soak-only
@test "queries of a Go 1.23 program" { asks 1.23; }
# bats test_tags=soak-only
@test "queries of a Go 1.24 program" { asks 1.24; }
# bats test_tags=soak-only
@test "queries of a Go 1.25 program" { asks 1.25; }
# bats test_tags=soak-only
@test "queries of a Go 1.26 program" { asks 1.26; }
@test "queries of a Go 1.27 program" { asks 1.27; }
# end of releases

@test "queries of a stripped program, with inline code beside" {
	require_inline
	build_prog 1.27 queries -ldflags=-s
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +sql --attach inline -- "$PROG" 20 100 \
		>"$BATS_TEST_TMPDIR/counted"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/queries.py" "$BATS_TEST_TMPDIR/counted" "$BATS_TEST_TMPDIR/events"
}

@test "gotap requests lists the statements of a program that serves no requests" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog 1.27 queries
	"$GOTAP" record -o "$trace" --budget none --strict -e +sql -- "$PROG" 5 100 >/dev/null
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	"$GOTAP" requests "$trace" --json >"$BATS_TEST_TMPDIR/json"
	python3 "$CHECKOUT/tests/lib/asked.py" "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/json"
	succeeds "$GOTAP" requests "$trace"
	matches '^ +5 +5 .* query SELECT bad$'
	matches '^ +10 +0 .* query SELECT slow FROM one$'
}

@test "literals remain if the user asks for them" {
	build_prog 1.27 queries
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +sql --sql-literals -- "$PROG" 2 100 >/dev/null
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/text"
	[ "$(grep -c "gotap.sql.*op=query.*b = 'secret' AND c IN (1, 2, 3)" "$BATS_TEST_TMPDIR/text")" -eq 2 ]
	gotap record -p 1 --sql-literals -o "$BATS_TEST_TMPDIR/y.trace"
	[ "$status" -eq 2 ]
	contains "--sql-literals is for group sql"
}

@test "attach and detach amid queries: no half query is a whole one" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog 1.27 queries
	start_target "$PROG" 100000 0
	recorded "$trace" -p "$TARGET" -e +sql -d 500ms
	views_ok "$trace"
	"$GOTAP" text --events "$trace" >"$BATS_TEST_TMPDIR/text"
	[ "$(grep -c '"gotap.sql" "op=query' "$BATS_TEST_TMPDIR/text")" -gt 50 ]
	# a query whose begin is not known would have begun with the machine
	! grep '"gotap.sql" "op=.* ns=[0-9]\{11\}' "$BATS_TEST_TMPDIR/text" || fail "a query of ten seconds"
}
