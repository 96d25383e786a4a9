#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# docs/slow.md, step by step: each command gives the answer for which the page calls it. The program is
# examples/slow.go.

load lib/common

setup() {
	require_root
	require_tool jq
	# The answers are shares of the time: the program and gotap have a high priority, so that a busy machine does
	# not change them.
	renice -n -15 -p "$BASHPID" >/dev/null
}

teardown() { stop_targets; }

# recorded NAME ARGUMENT...: makes $BATS_TEST_TMPDIR/NAME of the program with these arguments.
recorded() {
	local trace=$BATS_TEST_TMPDIR/$1
	start_target "$BATS_TEST_TMPDIR/slow" "${@:2}" || return
	succeeds "$GOTAP" record -p "$TARGET" -d 1s --budget none -o "$trace" || return
	stop_target
}

answer() { jq -r "$1" <<<"$output"; }

# someone_waits: while the lock is held the stacks of those who wait for it are seen.
someone_waits() {
	"$GOTAP" stacks -p "$TARGET" --state sync.Mutex.Lock --func 'main\.\(\*cache\)\.lookup' | grep -q '^goroutine '
}

@test "the five minutes of docs/slow.md lead to the cause" {
	require_go "$REFERENCE_GO"
	GO111MODULE=off "$GO" build -o "$BATS_TEST_TMPDIR/slow" "$CHECKOUT/examples/slow.go"
	start_target "$BATS_TEST_TMPDIR/slow"
	succeeds "$GOTAP" ps --json
	[ "$(answer ".processes[] | select(.pid == $TARGET) | .traceable")" = true ]
	wait_for 60 someone_waits
	stop_target

	recorded before.trace
	recorded after.trace -hold 100us

	succeeds "$GOTAP" report --top 1 --json "$BATS_TEST_TMPDIR/before.trace"
	[ "$(answer '.findings[0] | "\(.kind) \(.function)"')" = "lock main.(*cache).refresh" ]
	[ "$(answer '.findings[0].file')" = "$(cd "$CHECKOUT" && pwd)/examples/slow.go" ]

	succeeds "$GOTAP" why "$BATS_TEST_TMPDIR/before.trace" --func main.handle
	contains 'waiting for sync.(*Mutex).Lock at main.(*cache).lookup slow.go:23'
	contains 'main.refreshForEver running, up to main.(*cache).refresh slow.go'

	succeeds "$GOTAP" pprof -t waker --folded "$BATS_TEST_TMPDIR/before.trace"
	contains 'main.refreshForEver;main.(*cache).refresh;sync.(*Mutex).Unlock;[sync]'

	succeeds "$GOTAP" diff --json "$BATS_TEST_TMPDIR/before.trace" "$BATS_TEST_TMPDIR/after.trace"
	answer '.changes[] | select(.slower | not) | "\(.function) \(.place)"' | grep -qxF 'main.handle main.(*cache).lookup'
}
