#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --attach inline: what is changed in the program, that all of it is undone, and that the program does not notice.
# That the trace is the same is in inline_again.bats. After every test the program's text is as in its file, and no
# memory of gotap's is there.

load lib/common
load lib/record
load lib/cgroup
load lib/inline_program

# --- what is changed -----------------------------------------------------------------------------

@test "without the option nothing is: no memory, no word in the report" {
	mixed
	uprobes start_record "$TRACE" -p "$TARGET"
	! memory_of_gotap "$TARGET" || fail "memory of gotap's"
	uprobes stop_record
	! grep -q '"inline"' "$REPORT" || fail "$(cat "$REPORT")"
	is_as_before
}

@test "the program of another user is recorded so as well, and is as before" {
	require_tool setpriv
	build_prog "$REFERENCE_GO" mixed
	open_place
	cp "$PROG" "$PLACE/mixed"
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/mixed" -dur 60s
	recorded "$TRACE" -p "$TARGET" -d 300ms
	was_inline
	is_as_before
}

# flags_of PATTERN: VmFlags of the mappings that match, a line each.
flags_of() { awk -v want="$1" '/^[0-9a-f]+-/ { at = $0 ~ want } at && /^VmFlags/ { print }' "/proc/$TARGET/smaps"; }

@test "memory: never writable and executable, not in core dumps, wiped on fork; and all of it goes" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	memory_of_gotap "$TARGET" >"$BATS_TEST_TMPDIR/maps"
	cat "$BATS_TEST_TMPDIR/maps"
	! grep -q ' rwx' "/proc/$TARGET/maps" || fail "a page is writable and executable"
	[ "$(grep -c ' r-xp ' "$BATS_TEST_TMPDIR/maps")" -eq 1 ]
	[ "$(grep -c ' rw-s .*memfd:gotap' "$BATS_TEST_TMPDIR/maps")" -eq 1 ]
	flags_of 'r-xp .* 0 *$' | grep ' dd'
	flags_of memfd:gotap | grep ' dd'
	# the page right behind the code
	code_end=$(sed -nE 's/^[0-9a-f]+-([0-9a-f]+) r-xp.*/\1/p' "$BATS_TEST_TMPDIR/maps")
	flags_of "^$code_end-" | grep ' wf'
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	target_runs
}

@test "doctor says whether it is possible, at how many places, and at which price" {
	mixed
	gotap doctor -p "$TARGET"
	[ "$status" -eq 0 ]
	matches '^ .* inline +possible .*at [0-9]+ places'
	build_prog 1.15 pingpong
	gotap doctor "$PROG"
	matches '^ .* inline +not possible .*Go up to 1\.16'
	is_as_before
}

# unrecorded: prints the share of the last recording in which nothing was recorded.
unrecorded() {
	local length
	length=$(grep -oE '"pid": [0-9]+, "seconds": [0-9.]+' "$REPORT" | sed 's/.* //')
	awk -v s="$(reported unrecorded_seconds)" -v all="$length" 'BEGIN { print s / all }'
}

# too_dear: records with uprobes, whatever they cost, and then with a third of that as budget, $third.
# True if some of the second recording was left out: on a busy machine the program may have got less
# CPU time than in the first one.
too_dear() {
	uprobes record "$TRACE" -p "$TARGET" -d 1s --budget 10000
	third=$(awk -v c="$(reported cost_percent)" 'BEGIN { print c / 3 }')
	uprobes record "$TRACE" -p "$TARGET" -d 3s --budget "$third"
	grep -qF '"budget_steps": [{' "$REPORT"
}

# The recording begins with uprobes, which cost more than this budget, until gotap's code is in the program: on a busy
# machine that takes up to a quarter of the recording.
@test "the budget counts these records at their price: what uprobes have to leave out is recorded" {
	local third without begin took
	build_prog "$REFERENCE_GO" fullload
	start_target "$PROG"
	wait_for 60 too_dear
	without=$(unrecorded)
	start_record "$TRACE" -p "$TARGET" --budget "$third"
	begin=${EPOCHREALTIME/./}
	wait_for 60 inline_runs
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	sleep "$((took < 1000 ? 3 : 3 * took / 1000 + 1))"
	stop_record
	[ "$status" -eq 0 ]
	explain "a ceiling of $third %: $without of the time without records with uprobes, $(unrecorded) with --attach inline, $(reported cost_percent) %"
	awk -v s="$(unrecorded)" -v without="$without" 'BEGIN { exit !(s < without) }'
	awk -v c="$(reported cost_percent)" 'BEGIN { exit !(c > 0) }'
}

# --- the program meanwhile ----------------------------------------------------------------------

@test "children that are forked and do not exec write nothing" {
	local children calls
	build_prog "$REFERENCE_GO" forks
	start_target "$PROG" -calls 20000
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	sleep 0.5
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	views_ok "$TRACE"
	kill -USR1 "$TARGET"
	wait_target
	[ "$status" -eq 0 ]
	children=$(sed -n 's/^children //p' "$TARGET_OUT")
	[ "$children" -ge 1 ]
	# The parent makes a few system calls for each child; each child makes 20000, which must not be in the trace.
	calls=$(count_of "$TRACE" 'Go Running->Syscall')
	echo "$calls calls beside $children children"
	[ "$calls" -lt $((children * 100 + 10000)) ]
}

# kept_by PID: prints how many KiB the shared memory has that this process has mapped.
kept_by() {
	local range blocks=0 n
	for range in $(sed -nE 's/^([0-9a-f]+-[0-9a-f]+) .*memfd:gotap.*/\1/p' "/proc/$1/maps"); do
		n=$(stat -L -c %b "/proc/$1/map_files/$range")
		blocks=$((blocks + n))
	done
	echo $((blocks / 2))
}

children() { sed -n 's/^child //p' "$TARGET_OUT"; }
has_children() { [ "$(children | wc -l)" -ge "$1" ]; }
are_given_back() { local pid; for pid in $(children); do [ "$(kept_by "$pid")" -le 8 ] || return; done; }

@test "children that are forked by C and live on keep no memory of gotap's; programs that are started meanwhile end well" {
	local i pid
	build_prog "$REFERENCE_GO" cgoforks
	start_target "$PROG"
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	for i in 1 2 3; do
		kill -USR1 "$TARGET"
		wait_for 60 has_children "$i"
	done
	for pid in $(children); do [ "$(kept_by "$pid")" -gt 1000 ]; done
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	views_ok "$TRACE"
	for pid in $(children); do target_runs "$pid"; done
	wait_for 60 are_given_back
	# a gotap that is killed with its prober, and another one that finds what it left
	start_record "$TRACE.2" -p "$TARGET"
	wait_for 60 inline_runs
	kill -USR1 "$TARGET"
	wait_for 60 has_children 4
	pid=$(prober)
	kill -KILL "$RECORDER" "$pid"
	wait "$RECORDER" || true
	wait_for 60 gone "$pid"
	cleaned_by_the_next
	are_given_back
	for pid in $(children); do target_runs "$pid"; done
	kill -USR2 "$TARGET"
	wait_target
	[ "$status" -eq 0 ]
	! grep -q '^error' "$TARGET_OUT" || fail "$(cat "$TARGET_OUT")"
}

@test "a dump by SIGQUIT has every goroutine" {
	local i
	build_prog "$REFERENCE_GO" fullload
	for i in 1 2 3; do
		GOMAXPROCS=2 GOTRACEBACK=system start_target "$PROG"
		start_record "$TRACE" -p "$TARGET"
		wait_for 60 inline_runs
		kill -QUIT "$TARGET"
		wait_target
		[ "$status" -eq 2 ]
		wait_record
		[ "$status" -eq 0 ]
		views_ok "$TRACE"
		# 32 of main's, and main itself
		grep -E '^goroutine [0-9]+ ' "$TARGET_OUT" | sort -u | wc -l | awk '{ print $1, "goroutines"; exit $1 < 33 }'
		# A goroutine in gotap's code has no frames: at most one on each of the two Ps. One that has not run yet
		# is in its wrapper.
		awk -v RS= '/^goroutine [0-9]+ / && /\nmain\.(talker|locker|yielder|main\.gowrap[0-9]+)\(/ { n++ }
			END { print n + 0, "of them with frames"; exit n < 30 }' "$TARGET_OUT"
		! grep -qE 'unexpected return pc|fatal error' "$TARGET_OUT" || fail "$(grep -E 'unexpected return pc|fatal error' "$TARGET_OUT")"
	done
}

@test "a program that panics" {
	build_prog "$REFERENCE_GO" panic
	start_target "$PROG" -signal
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -USR1 "$TARGET"
	wait_target
	[ "$status" -eq 2 ]
	grep -q '^panic: the end' "$TARGET_OUT"
	wait_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
}

@test "a program that execs before a call leads to gotap's code: that is the reason, whatever was found at its places" {
	require_tool cc
	cc -O1 -shared -fPIC -o "$BATS_TEST_TMPDIR/exec_amid_inline.so" "$CHECKOUT/tests/lib/exec_amid_inline.c" -ldl
	build_prog "$REFERENCE_GO" exec
	start_target "$PROG" -signal sleep 60
	TARGET=$TARGET LD_PRELOAD=$BATS_TEST_TMPDIR/exec_amid_inline.so uprobes record "$TRACE" -p "$TARGET" -d 60s --attach inline
	[ "$status" -eq 0 ]
	[ "$(reported ended)" = "the program has exec'ed another" ]
	not_inline "process $TARGET has ended, or runs another program"
}

own_traces() { find "$BATS_TEST_TMPDIR" -name 'own.*' | wc -l; }
has_own_traces() { [ "$(own_traces)" -ge "$1" ]; }

@test "its own tracer, started and stopped again and again meanwhile" {
	build_prog "$REFERENCE_GO" toggles
	start_target "$PROG" -each 100ms -into "$BATS_TEST_TMPDIR/own"
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	wait_for 60 has_own_traces $(($(own_traces) + 5))
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	views_ok "$TRACE"
	kill -USR1 "$TARGET"
	wait_target
	[ "$status" -eq 0 ]
	trace_ok "$BATS_TEST_TMPDIR"/own.*
}

# The runtime clears trace.enabled while other threads run (traceAdvance in runtime/trace.go): some 20 of 30 times between
# the test and the hook of a thread that makes system calls all the time, with uprobes at the tests.
@test "its own tracer is stopped 30 times while uprobes are at the tests and code at the hooks: each exit is there once" {
	require_tool cc jq
	cc -O1 -shared -fPIC -o "$BATS_TEST_TMPDIR/hold_takeover.so" "$CHECKOUT/tests/lib/hold_takeover.c" -ldl
	build_prog "$REFERENCE_GO" toggles
	start_target "$PROG" -each 5ms -pause 0 -into "$BATS_TEST_TMPDIR/own"
	export GOTAP_TEST_HOLD=$BATS_TEST_TMPDIR/hold
	: >"$GOTAP_TEST_HOLD"
	LD_PRELOAD=$BATS_TEST_TMPDIR/hold_takeover.so start_record "$TRACE" --strict -p "$TARGET" --spool "$BATS_TEST_TMPDIR/spool"
	wait_for 60 test -e "$GOTAP_TEST_HOLD.held"
	wait_for 60 has_own_traces $(($(own_traces) + 30))
	rm "$GOTAP_TEST_HOLD"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	jq -e '.repairs_total == 0' "$REPORT"
	[ "$(exits_in_two_records)" -ge 30 ]
	views_ok "$TRACE"
}

# exits_in_two_records: prints how many records of code at the hook of exitsyscall follow that of the uprobe.
exits_in_two_records() {
	"$GOTAP" records "$BATS_TEST_TMPDIR/spool" |
		awk '$3 == "SYS_EXIT" { n += / same-p=1,hook / && last[$2] == 1; last[$2] = / same-p=1 /; next } { last[$2] = 0 } END { print n + 0 }'
}

# cycles N PID SEED: so many recordings of it, one after the other, the last one counts.
cycles() {
	local i trace=$BATS_TEST_TMPDIR/$2.trace
	RANDOM=$3
	for ((i = 0; ; i++)); do
		goes_on "$1" "$i" || break
		"$GOTAP" record --strict --budget none --json --attach inline --ring-size 64M -p "$2" -d "$((100 + RANDOM % 150))ms" -o "$trace" 2>"$trace.json" ||
			fail "recording $i of process $2: $(REPORT=$trace.json flaws)" || return
		REPORT=$trace.json TARGET=$2 was_inline || fail "recording $i of process $2" || return
	done
}

# bats test_tags=soak
@test "many short recordings of several programs at full load: no request of a server fails" {
	local pid pids=() ends=()
	build_prog "$REFERENCE_GO" netload
	start_target "$PROG" -pause 0
	pids+=("$TARGET")
	build_prog 1.26 fullload
	start_target "$PROG"
	pids+=("$TARGET")
	build_prog 1.22 mixed
	start_target "$PROG" -pause 100us -delay 10h
	pids+=("$TARGET")
	for pid in "${pids[@]}"; do
		cycles 2 "$pid" $((${SOAK_SEED:-1} + ${#ends[@]})) 3>&- &
		ends+=($!)
	done
	for pid in "${ends[@]}"; do wait "$pid"; done
	for pid in "${pids[@]}"; do
		target_runs "$pid"
		is_as_before "$pid"
		trace_ok "$BATS_TEST_TMPDIR/$pid.trace"
	done
}

# --- threads that are held amid a record ----------------------------------------------------------

# nothing_is_missing: the recording goes on for a second; nothing was lost, refused, repaired or left out.
nothing_is_missing() {
	sleep 1
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	jq -e '.inline.refused | add == 0' "$REPORT" || fail "records were refused"
	views_ok "$TRACE"
	target_runs
	is_as_before
}

# held SECONDS TIMES [stop]: see hold.py; nothing is missing behind it.
held() {
	require_tool python3 jq
	# A step through PUSHFQ of runtime.asyncPreempt saves the trap flag, which POPFQ sets again when nobody
	# traces the thread: SIGTRAP ends the program.
	GODEBUG=asyncpreemptoff=1 mixed
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	succeeds "$CHECKOUT/tests/inline/hold.py" "$TARGET" "$@"
	nothing_is_missing
}

@test "a thread that a debugger holds for 2.15 s amid a record, twice: nothing is lost" { held 2.15 2; }

@test "SIGSTOP for 2.5 s while a thread is amid a record, twice: nothing is lost" { held 2.5 2 stop; }
