#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a goroutine waits for: the trace has the addresses that the program itself prints, of goroutines that begin to wait
# while it is recorded, and of those that wait already.

load lib/common
load lib/record

setup() { require_root; }
teardown() { stop_targets; }

# waits_agree TRACE [UNKNOWN...]: the trace says what the program of $TARGET has printed.
waits_agree() {
	local trace=$1
	shift
	"$GOTAP" text --events --json "$trace" >"$trace.events"
	[ "$(grep -c ^main "$TARGET_OUT")" -eq 13 ]
	succeeds python3 "$CHECKOUT/tests/lib/waits.py" "$TARGET_OUT" "$trace.events" "$@"
}

all_wait() { grep -qx waiting "$TARGET_OUT"; }

# record_blocks TRACE [ARGUMENT...]: of the program $PROG, from before the goroutines wait until they do.
record_blocks() {
	start_target "$PROG"
	start_record "$1" -p "$TARGET" "${@:2}"
	kill -USR1 "$TARGET"
	wait_for 60 all_wait
	sleep 0.3
	stop_record
	[ "$status" -eq 0 ]
}

# blocks VERSION [UNKNOWN...]: the goroutines begin to wait while the program is recorded.
blocks() {
	build_prog "$1" waits
	shift
	blocks_of "$@"
}

blocks_of() {
	local trace=$BATS_TEST_TMPDIR/blocks.trace
	record_blocks "$trace"
	waits_agree "$trace" "$@"
	views_ok "$trace"
}

# attached VERSION [UNKNOWN...]: they wait already.
attached() {
	local trace=$BATS_TEST_TMPDIR/attached.trace
	build_prog "$1" waits
	shift
	start_target "$PROG" -now
	wait_for 60 all_wait
	sleep 0.3
	recorded "$trace" -p "$TARGET" -d 200ms
	waits_agree "$trace" "$@"
	views_ok "$trace"
}

# Up to Go 1.17 the layout of pollDesc is another one.
@test "goroutines that begin to wait, Go 1.15" { blocks 1.15 network; }
# bats test_tags=inline
@test "goroutines that begin to wait, Go 1.19" { blocks 1.19; }
# for releases 1.21+ (inline 1.21+; soak-only not 1.21 newest):
#	@test "goroutines that begin to wait, Go %" { blocks %; }
# bats test_tags=inline
@test "goroutines that begin to wait, Go 1.21" { blocks 1.21; }
# bats test_tags=inline,soak-only
@test "goroutines that begin to wait, Go 1.22" { blocks 1.22; }
# bats test_tags=inline,soak-only
@test "goroutines that begin to wait, Go 1.23" { blocks 1.23; }
# bats test_tags=inline,soak-only
@test "goroutines that begin to wait, Go 1.24" { blocks 1.24; }
# bats test_tags=inline,soak-only
@test "goroutines that begin to wait, Go 1.25" { blocks 1.25; }
# bats test_tags=inline,soak-only
@test "goroutines that begin to wait, Go 1.26" { blocks 1.26; }
# bats test_tags=inline
@test "goroutines that begin to wait, Go 1.27" { blocks 1.27; }
# end of releases

# Before Go 1.26 nothing leads from a parked goroutine to its sync.Cond.
@test "goroutines that wait already, Go 1.15" { attached 1.15 network cond; }
@test "goroutines that wait already, Go 1.19" { attached 1.19 cond; }
@test "goroutines that wait already, Go 1.22" { attached 1.22 cond; }
@test "goroutines that wait already, Go 1.25" { attached 1.25 cond; }
# for releases 1.26+ (soak-only not newest):
#	@test "goroutines that wait already, Go %" { attached %; }
# bats test_tags=soak-only
@test "goroutines that wait already, Go 1.26" { attached 1.26; }
@test "goroutines that wait already, Go 1.27" { attached 1.27; }
# end of releases

# stripped VERSION: without symbols and DWARF data.
stripped() {
	build_prog "$1" waits
	objcopy --strip-all "$PROG" "$BATS_TEST_TMPDIR/stripped"
	PROG=$BATS_TEST_TMPDIR/stripped
	blocks_of
}

# bats test_tags=inline
@test "a stripped program, Go 1.19" { stripped 1.19; }
# bats test_tags=inline
@test "a stripped program, Go 1.22" { stripped 1.22; }
# bats test_tags=inline
@test "a stripped program, Go 1.27" { stripped 1.27; }

@test "readers of each release take the trace without a word" {
	local trace=$BATS_TEST_TMPDIR/x.trace release format
	build_prog "$REFERENCE_GO" waits
	for format in go1.22 go1.26; do
		record_blocks "$trace" --format "$format"
		waits_agree "$trace"
		stop_target
		for release in "${RELEASES[@]}"; do
			[ "${release#1.}" -lt "${format#go1.}" ] || readable_by "$release" "$trace"
		done
	done
}

@test "a conversion, and a part of the trace, say the same" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog "$REFERENCE_GO" waits
	record_blocks "$trace"
	succeeds "$GOTAP" convert "$trace" -o "$BATS_TEST_TMPDIR/whole.trace"
	waits_agree "$BATS_TEST_TMPDIR/whole.trace"
	stop_target
	start_target "$PROG" -now
	wait_for 60 all_wait
	recorded "$trace" -p "$TARGET" -d 2500ms
	succeeds "$GOTAP" convert "$trace" -o "$BATS_TEST_TMPDIR/part.trace" --from 1500ms
	"$GOTAP" text --events --no-stacks "$BATS_TEST_TMPDIR/part.trace" >"$BATS_TEST_TMPDIR/part"
	[ "$(grep -c ' Undetermined->Waiting for ' "$BATS_TEST_TMPDIR/part")" -ge 12 ]
	"$GOTAP" text --events --no-stacks "$trace" | grep -o 'G[0-9]* Undetermined->Waiting for .*' | sort >"$BATS_TEST_TMPDIR/want"
	grep -o 'G[0-9]* Undetermined->Waiting for .*' "$BATS_TEST_TMPDIR/part" | sort | diff "$BATS_TEST_TMPDIR/want" -
}

@test "the report counts the blocks of which the object is known, and those of which it is not" {
	build_prog 1.15 waits
	record_blocks "$BATS_TEST_TMPDIR/x.trace"
	[ "$(jq .waits_unknown "$REPORT")" -eq 1 ]
	[ "$(jq .waits_known "$REPORT")" -ge 11 ]
}

@test "why names the lock that a step waited for, as the events do" {
	local lock
	build_prog "$REFERENCE_GO" mutex
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/x.trace" -p "$TARGET" -d 500ms
	"$GOTAP" text --events --json --no-stacks "$BATS_TEST_TMPDIR/x.trace" |
		jq -r '.waits_for // empty | "\(.kind) \(.objects[0].address)"' | sort -u >"$BATS_TEST_TMPDIR/locks"
	grep -q '^mutex 0x' "$BATS_TEST_TMPDIR/locks"
	grep -q '^rwmutex 0x' "$BATS_TEST_TMPDIR/locks"
	succeeds "$GOTAP" why --full --json "$BATS_TEST_TMPDIR/x.trace" >/dev/null
	lock=$(jq -r '[.. | .waited_for? // empty] | first' <<<"$output")
	[[ $lock == *"mutex 0x"* ]] || fail "no lock on the path: $lock"
	grep -qxF "$lock" "$BATS_TEST_TMPDIR/locks"
}
