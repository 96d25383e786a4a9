#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap stacks --leaked, --detect-leaks: goroutines that the runtime itself finds to be blocked for ever, or gotap by
# reachability in a process that is stopped or a core file; judged by the profile goroutineleak of the program, and by a
# program that knows which ones leak.

load lib/common
load lib/record

teardown() { stop_stopped_targets; }

# for releases 1.26+ (soak-only not newest):
#	@test "all leaked goroutines and no other, and the program goes on, Go %" { finds %; }
# bats test_tags=soak-only
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

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "by reachability, of a stopped process: none is false, Go %" { reaches %; }
@test "by reachability, of a stopped process: none is false, Go 1.15" { reaches 1.15; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.19" { reaches 1.19; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.21" { reaches 1.21; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.22" { reaches 1.22; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.23" { reaches 1.23; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.24" { reaches 1.24; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.25" { reaches 1.25; }
# bats test_tags=soak-only
@test "by reachability, of a stopped process: none is false, Go 1.26" { reaches 1.26; }
@test "by reachability, of a stopped process: none is false, Go 1.27" { reaches 1.27; }
# end of releases

# Up to Go 1.21 gotap takes each word of an object for a pointer, in all releases each word of the stacks on which the
# collector runs: a stale one hides a leak.
reaches() {
	local json=$BATS_TEST_TMPDIR/json n
	require_root
	require_tool jq
	build_prog "$1" leaky
	start_target "$PROG" idle
	kill -STOP "$TARGET"
	"$GOTAP" stacks -p "$TARGET" --leaked --by reachability --json >"$json"
	kill -CONT "$TARGET"
	jq -e 'all(.goroutines[]; .leaked and any(.stack[]; .function | startswith("main.leaked")))' "$json"
	jq -e '.heap_graph | .spans_unreadable + .spans_refused + .bytes_unreadable + .goroutines_unreadable + .threads_unreadable == 0' "$json"
	n=$(jq '.goroutines | length' "$json")
	explain "Go $1: $n of 40 leaked goroutines"
	case $1 in
	1.1? | 1.20 | 1.21) [ "$n" -ge 30 ] ;;
	*) [ "$n" -ge 36 ] && [ "$n" -le 40 ] ;;
	esac
	# they are those that the program has, and it goes on
	kill -USR1 "$TARGET"
	wait_target
	[ "$status" -eq 0 ]
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "what a deferred call holds is no leak, Go %" { defers %; }
@test "what a deferred call holds is no leak, Go 1.15" { defers 1.15; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.19" { defers 1.19; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.21" { defers 1.21; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.22" { defers 1.22; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.23" { defers 1.23; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.24" { defers 1.24; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.25" { defers 1.25; }
# bats test_tags=soak-only
@test "what a deferred call holds is no leak, Go 1.26" { defers 1.26; }
@test "what a deferred call holds is no leak, Go 1.27" { defers 1.27; }
# end of releases

defers() {
	local json=$BATS_TEST_TMPDIR/json
	require_root
	require_tool jq
	build_prog "$1" deferred
	start_target "$PROG"
	kill -STOP "$TARGET"
	"$GOTAP" stacks -p "$TARGET" --leaked --by reachability --json >"$json"
	kill -CONT "$TARGET"
	jq -e '.goroutines | length <= 1' "$json"
	jq -e 'all(.goroutines[]; any(.stack[]; .function == "main.leakedReceive"))' "$json"
}

# waits_not_leaked ARGUMENT...: $PROG, stopped; the goroutine in main.waits is there, and is not leaked. A stale word can
# hide that leakedReceive is.
waits_not_leaked() {
	start_target "$PROG" "$@"
	kill -STOP "$TARGET"
	"$GOTAP" stacks -p "$TARGET" --json >"$BATS_TEST_TMPDIR/all"
	"$GOTAP" stacks -p "$TARGET" --leaked --by reachability --json >"$BATS_TEST_TMPDIR/leaked"
	kill -CONT "$TARGET"
	stop_target
	jq -e 'any(.goroutines[].stack[]; .function == "main.waits")' "$BATS_TEST_TMPDIR/all"
	jq -e '.heap_graph.due_unknown == 0 and (.goroutines | length <= 1) and
		all(.goroutines[]; any(.stack[]; .function == "main.leakedReceive"))' "$BATS_TEST_TMPDIR/leaked"
}

@test "what a finalizer or a cleanup holds that is due, and waits for another one, is no leak" {
	local version
	require_root
	require_tool jq
	for version in 1.15 1.21 1.22 1.24 1.25 1.27; do
		build_prog "$version" due
		waits_not_leaked
		[ "${version#1.}" -lt 24 ] || waits_not_leaked cleanup
	done
}

@test "what only the stack of a signal handler holds is no leak" {
	require_root
	require_tool jq cc
	build_prog "$REFERENCE_GO" sigstack
	export GODEBUG=asyncpreemptoff=1
	waits_not_leaked
}

@test "variables of a plugin are roots" {
	require_root
	require_go "$REFERENCE_GO"
	command -v gcc >/dev/null || skip "no C compiler"
	mkdir "$BATS_TEST_TMPDIR/plugin" "$BATS_TEST_TMPDIR/host"
	cat >"$BATS_TEST_TMPDIR/plugin/plugin.go" <<-'EOF'
		package main

		var c = make(chan int)

		func waitsForPlugin() { <-c }

		func Begin() { go waitsForPlugin() }

		func main() {}
	EOF
	cat >"$BATS_TEST_TMPDIR/host/host.go" <<-'EOF'
		package main

		import (
			"fmt"
			"os"
			"plugin"
			"time"
		)

		func leaked() { <-make(chan int) }

		func main() {
			p, err := plugin.Open(os.Args[1])
			if err != nil {
				panic(err)
			}
			begin, _ := p.Lookup("Begin")
			begin.(func())()
			go leaked()
			time.Sleep(100 * time.Millisecond)
			fmt.Println("ready")
			time.Sleep(time.Hour)
		}
	EOF
	cd "$BATS_TEST_TMPDIR"
	export CGO_ENABLED=1 GOFLAGS='' GOWORK=off
	"$GO" build -buildmode=plugin -o plugin.so plugin/plugin.go
	"$GO" build -o host.exe host/host.go
	start_target ./host.exe "$PWD/plugin.so"
	kill -STOP "$TARGET"
	gotap stacks -p "$TARGET" --leaked --by reachability
	kill -CONT "$TARGET"
	contains main.leaked
	[[ $output != *waitsForPlugin* ]]
}

# a core file as the kernel writes one, of a program that aborts itself
dumps_core() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "core files of this machine go elsewhere (core_pattern)"
	ulimit -c unlimited
	start_target "$PROG" idle
	kill -ABRT "$TARGET"
	wait_target
	CORE=$(ls core core.* 2>/dev/null | head -n 1)
	[ -s "$CORE" ] || skip "no core file was written"
}

@test "by reachability, of a core file, and all of its goroutines; a stripped program" {
	local n
	build_prog "$REFERENCE_GO" leaky -ldflags=-s\ -w -buildmode=pie
	export GOTRACEBACK=crash
	dumps_core
	gotap stacks --core "$CORE" --leaked
	contains 'finalizers and cleanups that are due are not known'
	n=$(grep -c '^goroutine .*(leaked)' <<<"$output")
	# a stale word on a stack of the scheduler can hide some
	[ "$n" -ge 36 ] && [ "$n" -le 40 ]
	[ "$(grep -c '^main\.leaked' <<<"$output")" -eq "$n" ]
	[ "$("$GOTAP" stacks --core "$CORE" | grep -c '^goroutine ')" -gt 45 ]
	cp "$PROG" elsewhere
	"$GOTAP" stacks --core "$CORE" --exe elsewhere --json | jq -e '.counts.goroutines > 45'
}

@test "another build is no program of a core file that gotap wrote" {
	require_root
	build_prog "$REFERENCE_GO" leaky
	start_target "$PROG" idle
	cd "$BATS_TEST_TMPDIR"
	"$GOTAP" core -p "$TARGET" -o own --hold 2s --clear-again
	[ "$("$GOTAP" stacks --core own --leaked | grep -c '^goroutine .*(leaked)')" -ge 36 ]
	# as of another build: the entry is the same, the first page is not
	cp "$PROG" other
	printf 'another' | dd of=other bs=1 seek=900 conv=notrunc
	gotap stacks --core own --exe other
	[ "$status" -eq 1 ]
	contains 'is not the program of the core file'
}

@test "core files that are cut, damaged or of another program are refused in one line" {
	build_prog "$REFERENCE_GO" leaky
	export GOTRACEBACK=crash
	dumps_core
	head -c 100000 "$CORE" >cut
	for file in "$PROG" /dev/null nothing .; do
		gotap stacks --core "$file" --leaked
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	gotap stacks --core cut --leaked
	[ "$status" -eq 1 ]
	head -c "$(($(stat -c %s "$CORE") * 2 / 3))" "$CORE" >cut
	gotap stacks --core cut --leaked
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	contains 'was cut: it lacks '
	build_prog "$REFERENCE_GO" idle
	gotap stacks --core "$CORE" --exe "$PROG"
	[ "$status" -eq 1 ]
	contains 'is not the program of the core file'
	gotap stacks --core "$CORE" --exe /bin/true
	[ "$status" -eq 1 ]
	gotap stacks --core "$CORE" --exe nothing
	[ "$status" -eq 1 ]
	for wrong in "-p 1 --core $CORE" "--exe x -p 1" "--core $CORE --watch 1s" "--core $CORE --detect-leaks" \
		"-p 1 --by reachability" "-p 1 --leaked --by luck"; do
		gotap stacks $wrong
		[ "$status" -eq 2 ]
	done
}

@test "a process that runs is refused, with what to do" {
	require_root
	build_prog "$REFERENCE_GO" leaky
	start_target "$PROG"
	gotap stacks -p "$TARGET" --leaked --by reachability
	[ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ]
	contains "process $TARGET runs: its heap can only be read while it stands still. Stop it (kill -STOP $TARGET"
}

@test "whatever stands in the memory of a stopped process, the answer comes in time, and is a list or one line" {
	local seed mheap
	require_root
	require_tool python3
	build_prog "$REFERENCE_GO" leaky
	require_go "$REFERENCE_GO"
	mheap=$("$GO" tool nm "$PROG" | awk '$3 == "runtime.mheap_" { print $1 }')
	for seed in {1..6}; do
		start_target "$PROG" idle
		kill -STOP "$TARGET"
		python3 "$CHECKOUT/tests/lib/scramble_heap.py" "$TARGET" "$mheap" "$seed"
		status=0
		timeout 60 "$GOTAP" stacks -p "$TARGET" --leaked --by reachability --json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		kill -KILL "$TARGET"
		[ "$status" -le 1 ]
		[ "$status" -eq 1 ] || jq -e .counts.goroutines "$BATS_TEST_TMPDIR/out" >/dev/null
	done
}

@test "by reachability, programs of Go's own suite: none is false, none is missed" {
	require_root
	require_go 1.27
	succeeds "$CHECKOUT/tests/leaks/judge" --still "$GOTAP" "$GO" "$BATS_TEST_TMPDIR" NilRecv NilSend SelectNoCases \
		SelectNoCasesMain ChanRecv ChanSend Select WaitGroup MutexStack RWMutexRLock RWMutexLock Cond Mixed NoLeakGlobal \
		DoubleSend Timeout Cockroach584
	contains ' 0 false, '
}

# bats test_tags=soak,soak-only
@test "by reachability, all programs of Go's own suite" {
	require_root
	require_go 1.27
	succeeds "$CHECKOUT/tests/leaks/judge" --still "$GOTAP" "$GO" "$BATS_TEST_TMPDIR"
	contains ' 0 false, '
}

# bats test_tags=soak,soak-only
@test "all programs of Go's own suite" {
	require_root
	require_go 1.27
	succeeds "$CHECKOUT/tests/leaks/judge" "$GOTAP" "$GO" "$BATS_TEST_TMPDIR"
	contains ' 0 false, 0 missed'
}
