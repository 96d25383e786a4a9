# SPDX-License-Identifier: Apache-2.0
#
# gotap stacks: the goroutines of a running process, judged by the runtime's own dump of it.

load lib/common

teardown() {
	local pid
	for pid in ${TARGETS:-}; do
		kill -CONT "$pid" 2>/dev/null || true
	done
	stop_targets
	[ -z "${PLACE:-}" ] || close_place
}

# start_stacked VERSION [FLAG...]: tests/prog/stacked.go; sets $DIR to the folder that gets its own dumps.
start_stacked() {
	build_prog "$1" stacked "${@:2}"
	DIR=$BATS_TEST_TMPDIR/dumps-$1
	mkdir -p "$DIR"
	start_target "$PROG" "$DIR"
}

# as_json OPTION...: the goroutines as JSON, in $JSON. Not to the log: it is long.
as_json() {
	JSON=$BATS_TEST_TMPDIR/json
	"$GOTAP" stacks -p "$TARGET" --json "$@" >"$JSON"
}

# number JQ: how many goroutines does this select?
number() { jq "[.goroutines[] | select($1)] | length" "$JSON"; }

all_stopped() { ! awk '/^State:/ && $2 != "T" { found = 1 } END { exit !found }' /proc/"$TARGET"/task/*/status; }

stop_all() {
	kill -STOP "$TARGET"
	wait_for 60 all_stopped
}

dumped() { [ -e "$DIR/dump.2" ]; }

# The process's own word on its goroutines comes last: it runs for it.
judged() {
	"$GOTAP" stacks -p "$TARGET" >"$DIR/ours"
	"$GOTAP" stacks -p "$TARGET" --json >"$DIR/json"
	kill -USR1 "$TARGET"
	wait_for 60 dumped
	succeeds python3 "$CHECKOUT/tests/lib/same_stacks.py" "$DIR/ours" "$DIR/dump.2"
	succeeds python3 "$CHECKOUT/tests/lib/same_labels.py" "$DIR/json" "$DIR/dump.1"
}

@test "states, frames, lines, creators and labels are those of the runtime's dump, Go 1.19 to 1.27" {
	local version
	require_root
	require_tool python3
	for version in 1.19 1.21 1.23 1.24 1.26 1.27; do
		start_stacked "$version"
		judged
		stop_target
	done
}

# Its own dump has the inlined runtime.goparkunlock, which no other release shows.
@test "the same of Go 1.15" {
	require_root
	require_tool python3
	start_stacked 1.15
	"$GOTAP" stacks -p "$TARGET" >"$DIR/ours"
	kill -USR1 "$TARGET"
	wait_for 60 dumped
	sed -i '/^runtime.goparkunlock/,+1d' "$DIR/dump.2"
	succeeds python3 "$CHECKOUT/tests/lib/same_stacks.py" "$DIR/ours" "$DIR/dump.2"
}

@test "a stripped, position-independent program has the same goroutines" {
	require_root
	require_tool python3
	start_stacked 1.27 -buildmode=pie -ldflags=-s\ -w
	judged
}

@test "no root is needed for a process of one's own; another one is refused in one line" {
	require_root
	require_tool setpriv
	open_place
	build_prog 1.27 stacked
	install -m 755 "$PROG" "$PLACE/stacked"
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/stacked" /nowhere
	succeeds setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/gotap" stacks -p "$TARGET"
	matches '^goroutine 1 \[chan receive\]:$'
	matches '^main.main\(\.\.\.\)$'
	start_target "$PLACE/stacked" /nowhere
	run_logged setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/gotap" stacks -p "$TARGET"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "not allowed to read process $TARGET"
}

# A stack that is written while it is read must not be believed: what waits for "there" and "back" moves all the time.
@test "while goroutines run, those that wait have their stacks, and those that run have none" {
	require_root
	build_prog 1.27 stacked
	start_target "$PROG" /nowhere busy
	as_json --func 'main\.outer'
	[ "$(number '.stack_known == "yes" and (.stack | any(.function == "main.outer"))')" -eq 11 ]
	as_json
	[ "$(number '.stack_known == "running" and .stack')" -eq 0 ]
	# each known stack ends where a goroutine begins
	[ "$(number '.stack_known == "yes" and .stack[-1].function != "runtime.goexit"')" -eq 0 ]
}

# A thread may be stopped in the runtime, which is about to preempt its goroutine, or in a signal handler: then it is on
# another stack.
spin_is_known() {
	stop_all || return
	gotap stacks -p "$TARGET" --func 'main\.spin'
	kill -CONT "$TARGET"
	grep -Eq '^goroutine [0-9]+ \[(running|runnable)\]:$' <<<"$output"	# runnable: it was just preempted
}

@test "a running goroutine of a stopped process has its stack" {
	require_root
	build_prog 1.27 stacked
	start_target "$PROG" /nowhere busy
	wait_for 60 spin_is_known
	matches '^main\.spin\(\.\.\.\)$'
}

# The runtime switches it without a count: each look finds it at the same place, though it runs a thousand times a
# second.
@test "of a coroutine no more is said than its place" {
	require_go "$REFERENCE_GO"
	cat >"$BATS_TEST_TMPDIR/coroutine.go" <<-'END'
		package main

		import (
			"fmt"
			"iter"
			"runtime"
			"time"
		)

		func main() {
			next, _ := iter.Pull(func(yield func(int) bool) {
				for yield(1) {
				}
			})
			next()
			runtime.GC()
			runtime.GC()
			fmt.Println("ready")
			for {
				next()
				time.Sleep(time.Millisecond)
			}
		}
	END
	GO111MODULE=off "$GO" build -o "$BATS_TEST_TMPDIR/coroutine" "$BATS_TEST_TMPDIR/coroutine.go"
	start_target "$BATS_TEST_TMPDIR/coroutine"
	as_json --watch 300ms
	[ "$(jq -c '[.goroutines[] | select(.state == "coroutine") | [.still, .waits_seconds]]' "$JSON")" = '[["place",null]]' ]
}

# Busy goroutines have run meanwhile, if their threads got a processor: on a loaded machine it may take another attempt.
the_busy_ran() {
	as_json --watch 300ms
	IDLE_RAN=$((IDLE_RAN + $(number '((.stack // []) | any(.function == "main.outer")) and .still == "no"')))
	[ "$(jq .watch.looks "$JSON")" -ge 3 ] && [ "$(number '(.created_by.function == "main.handOver" or
		((.stack // []) | any(.function | test("main.(spin|handOver)")))) and .still != "no"')" -eq 0 ]
}

only_the_idle_are_still() {
	gotap stacks -p "$TARGET" --watch 300ms --still
	! grep -q 'main\.spin' <<<"$output"
}

@test "--watch tells who ran" {
	require_root
	build_prog 1.27 stacked
	start_target "$PROG" /nowhere busy
	IDLE_RAN=0
	wait_for 60 the_busy_ran
	[ "$IDLE_RAN" -eq 0 ]
	wait_for 60 only_the_idle_are_still
	matches '^goroutine 1 \[chan receive, did not run for (0\.[3-9]|[1-9][0-9]*\.[0-9]) s\]:$'
	contains "gotap: $(grep -c '^goroutine ' <<<"$output") of "
}

@test "--group counts goroutines of one stack and one set of labels" {
	require_root
	start_stacked 1.27
	gotap stacks -p "$TARGET" --group
	matches '^10 @( 0x[0-9a-f]+)+$'
	contains '# labels: {"path":"/buy", "user id":"7\n\"x\""}'
	contains '# state: 10 chan receive'
	[ "$(awk '/ @/ { n += $1 } END { print n }' <<<"$output")" = "$(sed -n 's/^goroutine profile: total //p' <<<"$output")" ]
}

@test "filters: state, function, number; those of the runtime only with --system" {
	require_root
	start_stacked 1.27
	gotap stacks -p "$TARGET" --state "IO wait,select"
	[ "$(grep -c '^goroutine' <<<"$output")" -eq 2 ]
	gotap stacks -p "$TARGET" --func 'main\.recurse'
	[ "$(grep -c '^goroutine' <<<"$output")" -eq 2 ]
	contains 'frames elided...'
	gotap stacks -p "$TARGET" --goroutine 1
	[ "$(grep -c '^goroutine' <<<"$output")" -eq 1 ]
	gotap stacks -p "$TARGET" --goroutine 987654321
	[ "$status" -eq 1 ]
	contains "process $TARGET has no goroutine 987654321"
	gotap stacks -p "$TARGET"
	! grep -q '\[force gc (idle)' <<<"$output" || fail "a goroutine of the runtime"
	gotap stacks -p "$TARGET" --system
	contains '[force gc (idle)]'
}

@test "wrong usage is status 2; a process that is none, or no Go program, is status 1" {
	gotap stacks
	[ "$status" -eq 2 ]
	gotap stacks -p 1 --still
	[ "$status" -eq 2 ]
	gotap stacks -p 1 --func '('
	[ "$status" -eq 2 ]
	gotap stacks -p 1 --pprof --json
	[ "$status" -eq 2 ]
	gotap stacks -p 4194303
	[ "$status" -eq 1 ]
	require_root
	gotap stacks -p $$
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "a process that is killed meanwhile is an error, and no list" {
	require_root
	start_stacked 1.27
	"$GOTAP" stacks -p "$TARGET" --watch 20s >"$DIR/out" 2>"$DIR/err" 3>&- &
	wait_for 60 pgrep -P $!		# the processes that read the target's memory
	kill -KILL "$TARGET"
	status=0
	wait $! || status=$?
	[ "$status" -eq 1 ]
	[ ! -s "$DIR/out" ]
	grep -q "process $TARGET has ended" "$DIR/err"
}

@test "whatever stands in the process's memory, the answer comes in time, and is a list or one line" {
	local seed allgs
	require_root
	require_tool python3
	build_prog 1.27 stacked
	require_go 1.27
	allgs=$("$GO" tool nm "$PROG" | awk '$3 == "runtime.allgs" { print $1 }')
	for seed in {1..8}; do
		start_target "$PROG" /nowhere
		stop_all
		python3 "$CHECKOUT/tests/lib/scramble.py" "$TARGET" "$allgs" "$seed"
		status=0
		timeout 60 "$GOTAP" stacks -p "$TARGET" --json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		kill -KILL "$TARGET"
		[ "$status" -le 1 ]
		[ "$status" -eq 1 ] || jq -e .counts.goroutines "$BATS_TEST_TMPDIR/out" >/dev/null
		[ "$status" -eq 0 ] || [ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
	done
}
