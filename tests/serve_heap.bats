#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap serve: heap, allocs, mutex and goroutineleak, which the runtime of the program keeps or finds.

load lib/common
load lib/serve

start_heaped() {
	build_prog "$REFERENCE_GO" heaped
	DIR=$BATS_TEST_TMPDIR/own
	mkdir "$DIR"
	start_target "$PROG" "$DIR"
}

exists() { [ -e "$1" ]; }

# its_own: the program writes its profiles.
its_own() {
	kill -USR1 "$TARGET"
	wait_for 60 exists "$DIR/done.1"
}

# child_pauses PID: one of its descendants has come to the wait between two reads (pauses, in common.bash).
child_pauses() {
	local child
	for child in $(pgrep -P "$1"); do
		pauses "$child" || child_pauses "$child" && return
	done
	return 1
}

top_of() { "$GO" tool pprof -top "$@" 2>/dev/null; }

@test "heap, allocs and mutex are those of the program; debug=1 is text" {
	local kind
	start_heaped
	on_socket
	for kind in heap allocs mutex; do
		ask "/debug/pprof/$kind?pid=$TARGET" -f -o "$DIR/ours.$kind"
		ask "/debug/pprof/$kind?pid=$TARGET&debug=1" -f >"$DIR/ours.$kind.txt"
	done
	its_own
	succeeds python3 "$CHECKOUT/tests/lib/same_heap.py" heap "$DIR/ours.heap.txt" "$DIR/heap.1.txt"
	succeeds python3 "$CHECKOUT/tests/lib/same_heap.py" heap "$DIR/ours.allocs.txt" "$DIR/heap.1.txt"
	succeeds python3 "$CHECKOUT/tests/lib/same_heap.py" mutex "$DIR/ours.mutex.txt" "$DIR/mutex.1.txt"
	top_of "$DIR/ours.heap" | grep -qx 'Type: inuse_space'
	top_of "$DIR/ours.allocs" | grep -qx 'Type: alloc_space'
	top_of "$DIR/ours.mutex" | grep -qx 'Type: delay'
	[ "$(top_of "$DIR/ours.heap" | awk '$NF == "main.big" { print $1 }')" = \
		"$(top_of "$DIR/heap.1" | awk '$NF == "main.big" { print $1 }')" ]
}

@test "go tool pprof asks by its own URL; seconds is a difference" {
	local delta
	require_tool pgrep
	start_heaped
	start_serve --listen 127.0.0.1:0 --no-token
	PORT=$(sed -n 's/^gotap: listens on .*:\([0-9]*\).*/\1/p' "$SERVER_LOG")
	top_of "http://127.0.0.1:$PORT/debug/pprof/heap?pid=$TARGET" | grep -q 'main.big$'
	curl -sf "http://127.0.0.1:$PORT/debug/pprof/allocs?pid=$TARGET&seconds=8" -o "$DIR/delta" 3>&- &
	delta=$!
	wait_for 6 child_pauses "$SERVER"
	kill -USR2 "$TARGET"
	wait_for 30 exists "$DIR/did.1"
	kill -USR2 "$TARGET"
	wait_for 30 exists "$DIR/did.2"
	wait $delta
	top_of "$DIR/delta" | grep -q 'Duration: 8'
	[ "$(top_of "$DIR/delta" | awk '$NF == "main.big" { print $4 }')" != 0 ]
	[ "$(top_of -sample_index=inuse_space "$DIR/delta" | awk '$NF == "main.deep" { print $1 }')" = "" ]
}

@test "goroutineleak: what was found already; with --detect-leaks the next collection looks" {
	local n
	build_prog "$REFERENCE_GO" leaky
	start_target "$PROG"
	on_socket
	[ "$(ask "/debug/pprof/goroutineleak?pid=$TARGET&debug=2" | grep -c '^goroutine')" -eq 0 ]
	SERVED=$SERVER
	stop_target "$SERVED"
	on_socket --detect-leaks
	# 40, but for what a stale word on a stack may hide from the collector
	n=$(ask "/debug/pprof/goroutineleak?pid=$TARGET&debug=2" | grep -c '^goroutine .*(leaked)')
	[ "$n" -ge 36 ] && [ "$n" -le 40 ]
	ask "/debug/pprof/goroutineleak?pid=$TARGET" -f -o "$BATS_TEST_TMPDIR/leaks"
	top_of "$BATS_TEST_TMPDIR/leaks" | grep -Eq " of (3[6-9]|40) total"
	ask "/debug/pprof/goroutineleak?pid=$TARGET&debug=1" -f | grep -q '^5 @'
}

@test "goroutineleak of an idle program and of an older one is an error; a bad value, too" {
	build_prog "$REFERENCE_GO" leaky
	start_target "$PROG" idle
	on_socket --detect-leaks
	refused 500 'has begun no collection within 1 s' "/debug/pprof/goroutineleak?pid=$TARGET&seconds=1"
	refused 400 'invalid value for "seconds"' "/debug/pprof/heap?pid=$TARGET&seconds=x"
	refused 400 'exceeds the limit' "/debug/pprof/heap?pid=$TARGET&seconds=100000"
	refused 404 'only the program itself' "/debug/pprof/threadcreate?pid=$TARGET"
	build_prog 1.25 idle
	start_target "$PROG"
	refused 500 'came with Go 1.26' "/debug/pprof/goroutineleak?pid=$TARGET"
}
