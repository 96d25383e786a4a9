#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Names that others gave, and what their files say, do not reach a terminal as they are; the verdict comes first.

load lib/common

# A name with ESC, a byte that is no UTF-8, a line feed and a mark of writing direction; how it is shown.
NAME=$'a\e[31m\x9b\n\u202eb'
SHOWN='a\x1b[31m\x9b\x0a\xe2\x80\xaeb'

teardown() { stop_targets; }

# plain: nothing of $NAME is in the last run's output as it is.
plain() {
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$output" || fail "a control character"
	! LC_ALL=C grep -q $'\x9b\|\xe2\x80\xae' <<<"$output" || fail "a mark of direction, or no UTF-8"
}

@test "a program named with an escape: ps, doctor, errors and JSON show it" {
	local command
	require_root
	build_prog "$REFERENCE_GO" mixed
	cp "$PROG" "$BATS_TEST_TMPDIR/$NAME"
	start_target "$BATS_TEST_TMPDIR/$NAME" -delay 10m
	for command in "ps" "ps --json" "doctor -p $TARGET" "doctor --json -p $TARGET"; do
		# shellcheck disable=SC2086
		run_logged "$GOTAP" $command
		plain
	done
	contains '\u001b[31m\ufffd\u000a\u202eb'
	run_logged "$GOTAP" check "$BATS_TEST_TMPDIR/none/$NAME"
	contains "$SHOWN"
}

@test "an output named with an escape: the report, errors and what is left over show it" {
	local trace=$BATS_TEST_TMPDIR/$NAME
	require_root
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	run_logged "$GOTAP" record -d 100ms -o "$trace" -p "$TARGET"
	[ "$status" -eq 0 ]
	plain
	contains "$SHOWN, "
	run_logged "$GOTAP" record --json -d 100ms -o "$trace" -p "$TARGET"
	plain
	run_logged "$GOTAP" record -o "$BATS_TEST_TMPDIR/none/$NAME" -p "$TARGET"
	plain
	run_logged "$GOTAP" check "$trace"
	[ "$status" -eq 0 ]
	plain
	contains "$SHOWN: ok"
	cp "$trace" "$trace.partial"
	run_logged "$GOTAP" convert "$trace" -o "$BATS_TEST_TMPDIR/part"
	plain
	contains "$SHOWN.partial' is what a gotap wrote that was killed"
}

@test "a command, an old trace and a damaged one named with an escape" {
	local old
	run_logged "$GOTAP" "$NAME"
	[ "$status" -eq 2 ]
	plain
	contains "there is no command '$SHOWN'"
	require_go "$REFERENCE_GO"
	old=$CHECKOUT/build/go/go$REFERENCE_GO/src/internal/trace/internal/tracev1/testdata/http_1_21_good
	cp "$old" "$BATS_TEST_TMPDIR/$NAME"
	run_logged "$GOTAP" check "$BATS_TEST_TMPDIR/$NAME"
	plain
	contains "$SHOWN: ok: go 1."
	head -c 2000 "$old" >"$BATS_TEST_TMPDIR/$NAME"
	run_logged "$GOTAP" check "$BATS_TEST_TMPDIR/$NAME"
	[ "$status" -eq 1 ]
	plain
	contains "$SHOWN: go 1."
}

# The text quotes strings as Go does, so that a terminal may have it; a trace itself is refused there.
@test "text on a terminal: strings of the trace are quoted" {
	local text=$BATS_TEST_TMPDIR/text trace=$BATS_TEST_TMPDIR/trace
	require_tool script
	"$GOTAP" text "$CHECKOUT/tests/vectors/ok_string_1024.trace" |
		sed 's/data="[^"]*"/data="a\\x1b[31m\\u202eb"/' >"$text"
	grep -qF 'data="a\x1b[31m\u202eb"' "$text"
	succeeds "$GOTAP" wire "$text" -o "$trace"
	LC_ALL=C grep -qa $'\x1b' "$trace"
	run_logged script -qec "'$GOTAP' text '$trace'" /dev/null
	[ "$status" -eq 0 ]
	output=${output//$'\r'/}
	plain
	contains 'data="a\x1b[31m\u202eb"'
	run_logged script -qec "'$GOTAP' convert '$trace' -o -" /dev/null
	[ "$status" -eq 1 ]
	contains "a trace is not for a terminal"
}

@test "doctor begins with its verdict, and events lists a function once in a group" {
	run_logged "$GOTAP" doctor "$GOTAP"
	[[ ${lines[0]} == "Cannot trace: "* ]]
	succeeds "$GOTAP" events
	awk '/^[a-z]/ { n = 0 } { n += gsub(/runtime\.\(\*sweepLocked\)\.sweep /, "") } n == 1 { once = 1 } n > 1 { twice = 1 }
		END { exit !once || twice }' <<<"$output" || fail "not once"
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
