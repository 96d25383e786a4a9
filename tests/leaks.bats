#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap stacks --leaked, --detect-leaks: goroutines that the runtime itself finds to be blocked for ever, judged by the
# profile goroutineleak of the program, and by a program that knows which ones leak.

load lib/common
load lib/record

teardown() { stop_targets; }

# for releases 1.26+:
#	@test "all leaked goroutines and no other, and the program goes on, Go %" { finds %; }
@test "all leaked goroutines and no other, and the program goes on, Go 1.26" { finds 1.26; }
@test "all leaked goroutines and no other, and the program goes on, Go 1.27" { finds 1.27; }
# end of releases

finds() {
	local json=$BATS_TEST_TMPDIR/json
	require_root
	require_tool jq
	build_prog "$1" leaky
	start_target "$PROG"
	gotap stacks -p "$TARGET" --leaked
	[ "$status" -eq 0 ] && contains 'no goroutine is marked as leaked: --detect-leaks'
	"$GOTAP" stacks -p "$TARGET" --detect-leaks --json >"$json"
	[ "$(jq '.goroutines | length' "$json")" -eq 40 ]
	jq -e 'all(.goroutines[]; .leaked and any(.stack[]; .function | startswith("main.leaked")))' "$json"
	# they stay so, and are so in a list of all
	[ "$("$GOTAP" stacks -p "$TARGET" --leaked | grep -c '^goroutine [0-9]* \[.*(leaked)')" -eq 40 ]
	[ "$("$GOTAP" stacks -p "$TARGET" | grep -c '^goroutine ')" -gt 45 ]
	"$GOTAP" stacks -p "$TARGET" --leaked --pprof >"$BATS_TEST_TMPDIR/profile"
	"$GO" tool pprof -top "$BATS_TEST_TMPDIR/profile" 2>/dev/null | grep -q ' of 40 total'
	kill -USR1 "$TARGET"
	wait_target
	[ "$status" -eq 0 ]
}

@test "a stripped program has the same" {
	require_root
	build_prog 1.27 leaky -ldflags=-s\ -w -buildmode=pie
	start_target "$PROG"
	[ "$("$GOTAP" stacks -p "$TARGET" --detect-leaks | grep -c '^goroutine .*(leaked)')" -eq 40 ]
}

# collects: the program collects once more, and the collection is over.
collects() {
	local n
	n=$(grep -c collected "$TARGET_OUT" || true)
	kill -USR2 "$TARGET"
	wait_for 60 eval '[ "$(grep -c collected "$TARGET_OUT")" -gt '"$n"' ]'
}

# detects [OPTION...]: gotap stacks --detect-leaks in the background, which waits for a collection; sets $DETECTS.
detects() {
	"$GOTAP" stacks -p "$TARGET" --detect-leaks "$@" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	DETECTS=$!
	wait_for 60 pauses $DETECTS
}

@test "no collection comes: it says so, and takes its wish back; a signal does so, too" {
	local status=0
	require_root
	build_prog 1.27 leaky
	start_target "$PROG" idle
	gotap stacks -p "$TARGET" --detect-leaks --within 300ms
	[ "$status" -eq 1 ] && contains 'has begun no collection within 0.3 s'
	collects
	gotap stacks -p "$TARGET" --leaked
	contains 'no goroutine is marked as leaked'
	detects
	kill -INT $DETECTS
	wait $DETECTS || status=$?
	[ "$status" -eq 1 ]
	grep -q 'ended by a signal' "$BATS_TEST_TMPDIR/out"
	collects
	gotap stacks -p "$TARGET" --leaked
	contains 'no goroutine is marked as leaked'
	detects
	collects
	wait $DETECTS
	[ "$(grep -c '^goroutine .*(leaked)' "$BATS_TEST_TMPDIR/out")" -eq 40 ]
}

@test "one gotap that takes its wish back does not end the wait of another" {
	local first status=0
	require_root
	build_prog 1.27 leaky
	start_target "$PROG" idle
	detects
	first=$DETECTS
	detects
	kill -INT $first
	wait $first || status=$?
	[ "$status" -eq 1 ]
	collects
	wait $DETECTS
	[ "$(grep -c '^goroutine .*(leaked)' "$BATS_TEST_TMPDIR/out")" -eq 40 ]
}

@test "once the collection is over a signal ends the rest" {
	local status=0
	require_root
	build_prog 1.27 leaky
	start_target "$PROG" idle
	detects --watch 10m
	collects
	wait_for 60 eval '! catches_hup $DETECTS'
	kill -TERM $DETECTS
	wait $DETECTS || status=$?
	[ "$status" -eq 143 ]
}

@test "releases before 1.26 are refused, with what there is in its place" {
	require_root
	build_prog 1.25 idle
	start_target "$PROG"
	gotap stacks -p "$TARGET" --leaked
	[ "$status" -eq 1 ] && contains 'came with Go 1.26; --watch'
	gotap stacks -p "$TARGET" --detect-leaks
	[ "$status" -eq 1 ] && contains 'came with Go 1.26'
}

# The search changes the status of goroutines by casgstatus, from 4 to 10; for a tracer they wait.
@test "a recording beside the search, and one that finds leaked goroutines, are sound, Go 1.26 and 1.27" {
	local version
	require_root
	for version in 1.26 1.27; do
		build_prog "$version" leaky
		start_target "$PROG"
		start_record "$BATS_TEST_TMPDIR/beside" --strict -p "$TARGET"
		"$GOTAP" stacks -p "$TARGET" --detect-leaks >"$BATS_TEST_TMPDIR/out"
		"$GOTAP" stacks -p "$TARGET" --detect-leaks >"$BATS_TEST_TMPDIR/out"
		stop_record
		succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/beside"
		succeeds "$GOTAP" record --strict -p "$TARGET" -d 300ms -o "$BATS_TEST_TMPDIR/after"
		succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/after"
		# in the snapshot they wait, with their stacks
		[ "$("$GOTAP" text --events "$BATS_TEST_TMPDIR/after" | grep -c 'main\.leakedReceive')" -ge 5 ]
		succeeds "$GOTAP" record --attach inline --strict -p "$TARGET" -d 300ms -o "$BATS_TEST_TMPDIR/inline"
		succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/inline"
		stop_target
	done
}

@test "programs of Go's own suite: none is false, none is missed" {
	require_root
	require_go 1.27
	succeeds "$CHECKOUT/tests/leaks/judge" "$GOTAP" "$GO" "$BATS_TEST_TMPDIR" NilRecv NilSend SelectNoCases SelectNoCasesMain \
		ChanRecv ChanSend Select WaitGroup MutexStack MutexHeap RWMutexRLock RWMutexLock Cond Mixed NoLeakGlobal
	contains ' 0 false, 0 missed'
}

# bats test_tags=soak,soak-only
@test "all programs of Go's own suite" {
	require_root
	require_go 1.27
	succeeds "$CHECKOUT/tests/leaks/judge" "$GOTAP" "$GO" "$BATS_TEST_TMPDIR"
	contains ' 0 false, 0 missed'
}
