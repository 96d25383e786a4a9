#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap records: what `gotap record --spool` kept, as text.

load lib/common
load lib/record

setup() {
	SPOOL=$BATS_FILE_TMPDIR/spool
	[ ! -s "$SPOOL" ] || return 0
	require_root
	build_prog 1.27 mixed
	start_target "$PROG" -delay 10m
	start_record "$SPOOL.trace" --strict -p "$TARGET" --spool "$SPOOL"
	wait_for 60 has_bytes "$SPOOL.partial" 200000
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	stop_target
}

teardown() { stop_targets; }

@test "every record is a line, in order of time, with words by name" {
	"$GOTAP" records "$SPOOL" >"$BATS_TEST_TMPDIR/lines"
	[ "$(grep -vc ' STACK ' "$BATS_TEST_TMPDIR/lines")" -gt 100 ]
	cut -d ' ' -f 1 "$BATS_TEST_TMPDIR/lines" | sort -nc
	grep -qE '^[0-9]+ [0-9]+ GO_PARK goid=([0-9]+|told) g=0x[0-9a-f]+ waitreason=[A-Z]\w+ stack=0x[0-9a-f]+ object=(0|0x[0-9a-f]+)$' "$BATS_TEST_TMPDIR/lines"
	grep -qE '^[0-9]+ [0-9]+ SNAP_G goid=1 g=0x[0-9a-f]+ status=\w+ ' "$BATS_TEST_TMPDIR/lines"
	[ "$(grep -c ' SNAP_END$' "$BATS_TEST_TMPDIR/lines")" -eq 1 ]
	! grep -vE '^[0-9]+ [0-9]+ [A-Z][A-Z_]+( |$)' "$BATS_TEST_TMPDIR/lines" || fail "a line of another form"
}

@test "stdin, and errors as of gotap assemble" {
	"$GOTAP" records - <"$SPOOL" | cmp - <("$GOTAP" records "$SPOOL")
	head -c 20000 "$SPOOL" >"$BATS_TEST_TMPDIR/cut"
	run_logged "$GOTAP" records "$BATS_TEST_TMPDIR/cut"
	[ "$status" -eq 1 ]
	run_logged "$GOTAP" records
	[ "$status" -eq 2 ]
	contains "give one spool file"
	run_logged "$GOTAP" records /proc/self/status
	[ "$status" -eq 1 ]
}
