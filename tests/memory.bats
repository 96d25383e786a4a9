#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Spans and stacks of goroutines beside the runtime's own trace of the same process, GODEBUG=traceallocfree=1: what
# exists when that begins and every event from then on, by address, size and class.

load lib/common
load lib/record

setup() { require_root; }
teardown() { stop_targets; }

LIMITS=()

X() { printf '%s/x.trace' "$BATS_TEST_TMPDIR"; }

# same_memory VERSION [GOTAP RECORD FLAG...]. Now and then a runtime writes a trace of itself that its own reader refuses
# (an STWEnd without its begin, Go 1.27): then once more.
same_memory() {
	local i
	oracle "$REFERENCE_GO"
	for i in 1 2 3; do
		record_memory "$@"
		run_logged "$ORACLE/memory" "${LIMITS[@]}" "$BATS_TEST_TMPDIR/rt.trace" "$(X)"
		[[ $status -eq 2 && $output == *rt.trace:* ]] || break
	done
	[ "$status" -eq 0 ]
}

record_memory() {
	local version=$1
	shift
	build_prog "$version" memory
	GODEBUG=traceallocfree=1 start_target "$PROG" -trace "$BATS_TEST_TMPDIR/rt.trace" -dur 1200ms -rounds 600
	start_record "$(X)" --strict -e sched,stacks,spans "$@" -p "$TARGET"
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	stop_target
	views_ok "$(X)"
}

# Go 1.23's tracer leaves out what happens while it holds the thread itself (traceTryAcquire): stacks that grow there.
@test "spans and stacks equal the runtime's, Go 1.23" { LIMITS=(-max-extra 0.02); same_memory 1.23; }
# for releases 1.24+ (inline newest; soak-only not newest):
#	@test "spans and stacks equal the runtime's, Go %" { same_memory %; }
# bats test_tags=soak-only
@test "spans and stacks equal the runtime's, Go 1.24" { same_memory 1.24; }
# bats test_tags=soak-only
@test "spans and stacks equal the runtime's, Go 1.25" { same_memory 1.25; }
# bats test_tags=soak-only
@test "spans and stacks equal the runtime's, Go 1.26" { same_memory 1.26; }
# bats test_tags=inline
@test "spans and stacks equal the runtime's, Go 1.27" { same_memory 1.27; }
# end of releases
@test "spans and stacks with header go1.23" { same_memory 1.27 --format go1.23; }
@test "spans and stacks with header go1.26" { same_memory 1.27 --format go1.26; }

@test "spans and stacks of a stripped program" {
	build_prog 1.27 memory -ldflags -s
	start_target "$PROG" -dur 1h
	succeeds "$GOTAP" record --budget none --strict -e stacks,spans -d 500ms -p "$TARGET" -o "$(X)"
	views_ok "$(X)"
	[ "$(count_of "$(X)" 'Experimental Span')" -gt 100 ]
	[ "$(count_of "$(X)" 'Experimental GoroutineStack')" -gt 10 ]
}

@test "readers from Go 1.23 on take them" {
	build_prog 1.27 memory
	succeeds "$GOTAP" record --budget none --strict -e stacks,spans --format go1.23 -o "$(X)" -- "$PROG" -dur 300ms
	for version in 1.23 1.24 1.25 1.26 1.27; do readable_by "$version" "$(X)"; done
	succeeds "$GOTAP" check "$(X)"
	"$GOTAP" text "$(X)" | grep -q '^SpanAlloc '
}

# From the first span on: what was never taken cannot be given back.
@test "a launched program's spans, from its start" {
	build_prog 1.27 memory
	succeeds "$GOTAP" record --budget none --strict -e spans -o "$(X)" -- "$PROG" -dur 1s
	"$GOTAP" text "$(X)" >"$BATS_TEST_TMPDIR/text"
	awk '/^SpanAlloc / { sub(/.* id=/, ""); there[$1]++; n++ }
		/^SpanFree / { sub(/.* id=/, ""); there[$1]-- }
		/^SpanAlloc|^SpanFree/ && (there[$1] < 0 || there[$1] > 1) { print "id", $1, there[$1]; wrong++ }
		END { print n + 0, "spans"; exit wrong || n < 100 }' "$BATS_TEST_TMPDIR/text"
}

@test "an earlier release does not have them, and gotap says so" {
	build_prog 1.22 memory
	start_target "$PROG" -dur 1h
	succeeds "$GOTAP" record --budget none --strict -e stacks,spans -d 200ms -p "$TARGET" -o "$(X)"
	contains "stacks that are taken (from Go 1.23 on)"
	contains "spans that are taken (from Go 1.23 on)"
	matches '^lost: 0, repairs: 0.*; the trace lacks '
	run_logged "$GOTAP" record -e spans --format go1.22 -p "$TARGET" -o "$(X)"
	[ "$status" -eq 2 ]
	contains "go1.23 or later"
}
