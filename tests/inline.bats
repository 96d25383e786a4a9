#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --attach inline: what is changed in the program, that all of it is undone, and what is refused. That the trace
# is the same is in inline_again.bats. After every test the program's text is as in its file, and no memory of gotap's
# is there.

load lib/common
load lib/record
load lib/cgroup

setup() {
	require_root
	require_tool dd cmp
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/x.trace
	leaks >"$BATS_TEST_TMPDIR/leaks"
	ATTACH=inline
}

teardown() {
	[ -z "${TARGET:-}" ] || kill -CONT "$TARGET" 2>/dev/null || true
	stop_targets
	[ -z "${FOLDER:-}" ] || wait_for 60 rmdir "$FOLDER"
}

mixed() {
	build_prog "${1:-$REFERENCE_GO}" mixed
	start_target "$PROG" -delay 10h
}

# not_inline PATTERN: no code was put into the program, for a reason like that.
not_inline() {
	[ "$(inline_of state)" = off ]
	# shellcheck disable=SC2053
	[[ $(inline_of why) == $1 ]] || fail "inline: $(inline_of why)"
	is_as_before
}

uprobes() { ATTACH='' "$@"; }

# --- what is changed -----------------------------------------------------------------------------

@test "without the option nothing is: no memory, no word in the report" {
	mixed
	uprobes start_record "$TRACE" -p "$TARGET"
	! memory_of_gotap "$TARGET" || fail "memory of gotap's"
	uprobes stop_record
	! grep -q '"inline"' "$REPORT" || fail "$(cat "$REPORT")"
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
		cycles 5 "$pid" $((${SOAK_SEED:-1} + ${#ends[@]})) 3>&- &
		ends+=($!)
	done
	for pid in "${ends[@]}"; do wait "$pid"; done
	for pid in "${pids[@]}"; do
		target_runs "$pid"
		is_as_before "$pid"
		trace_ok "$BATS_TEST_TMPDIR/$pid.trace"
	done
}

# --- gotap meanwhile -----------------------------------------------------------------------------

# prober: the pid of the process that holds the probes.
prober() { pgrep -x gotap-prober -P "$RECORDER"; }

# gone PID: no thread of the process runs any more. Its first thread may be a zombie while another one still removes
# breakpoints.
gone() {
	local threads=(/proc/"$1"/task/*)
	! target_runs "$1" || [[ ${#threads[@]} -le 1 && $(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null) == [ZX] ]]
}

# marked MARK: prints the pids of all processes with this mark in their environment.
marked() { grep -lsa "GOTAP_TEST_MARK=$1" /proc/[0-9]*/environ | cut -d / -f 3; }

# cleaned_by_the_next: a recording by uprobes takes out what a gotap left that was killed with its prober. The kernel
# removes breakpoints when the last process of the killed gotap has ended, and nothing shows when that is.
cleaned_by_the_next() {
	uprobes recorded "$BATS_TEST_TMPDIR/next.trace" -p "$TARGET" -d 300ms
	# If the prober was killed while it attached, the kernel may leave breakpoints: probes at the same places
	# replace them.
	[ "$(leaks_but "$BATS_TEST_TMPDIR/leaks")" -eq 0 ] || record "$BATS_TEST_TMPDIR/same.trace" -p "$TARGET" -d 1s
	REPORT=$BATS_TEST_TMPDIR/next.trace.json
	wait_for 60 is_as_before
	trace_ok "$BATS_TEST_TMPDIR/next.trace"
}

# speed_since LINE: prints the highest of the program's speeds (rounds in a second of CPU time) from that line on: other
# programs on the processors only make it slower.
speed_since() { awk -v from="$1" 'NF == 3 && ++n > from && $3 + 0 > most { most = $3 } END { printf "%d\n", most }' "$TARGET_OUT"; }

lines() { grep -c ' ' "$TARGET_OUT" || true; }
has_lines() { [ "$(lines)" -ge "$1" ]; }

@test "gotap and its prober are killed: the program goes on at its speed, and the next gotap takes all out" {
	local before after from pid
	build_prog "$REFERENCE_GO" speed
	start_target "$PROG" -each 100ms
	wait_for 60 has_lines 6
	before=$(speed_since 0)
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	pid=$(prober)
	kill -KILL "$RECORDER" "$pid"
	wait "$RECORDER" || true
	wait_for 60 gone "$pid"
	memory_of_gotap "$TARGET"
	from=$(($(lines) + 2))
	wait_for 60 has_lines $((from + 6))
	after=$(speed_since "$from")
	explain "$before rounds in a second of CPU time before, $after with what is left"
	# What is left costs 2 to 5 ns at each of some ten places: a tenth at most.
	[ "$after" -ge $((before / 2)) ]
	cleaned_by_the_next
	[ "$(inline_of cleaned)" = true ]
	target_runs
}

# bats test_tags=soak
@test "and at random moments" {
	local i pid pids late
	soak_seed
	mixed
	for ((i = 0; ; i++)); do
		goes_on 4 "$i" || break
		# by the mark a prober is found that begins after pgrep has looked
		GOTAP_TEST_MARK=$$.$i "$GOTAP" record -q --attach inline -p "$TARGET" -o "$BATS_TEST_TMPDIR/killed" 2>/dev/null 3>&- &
		RECORDER=$!
		sleep "0.$(printf '%03d' $((RANDOM % 600)))"
		pids=$(prober || true)
		kill -KILL "$RECORDER" $pids
		wait "$RECORDER" || true
		late=$(marked "$$.$i" || true)
		[ -z "$late" ] || kill -KILL $late || true
		for pid in $pids $late; do wait_for 60 gone "$pid"; done
		target_runs || fail "the target is dead after kill $i"
	done
	cleaned_by_the_next
}

has_descriptor() { [ -n "$(descriptors_of_gotap "$TARGET")" ]; }

@test "killed while the memory is made, before anything else of it is: the next gotap knows it, and takes it out" {
	local library=$BATS_TEST_TMPDIR/die_amid_memory.so
	require_tool cc
	cc -O1 -shared -fPIC -o "$library" "$CHECKOUT/tests/lib/die_amid_memory.c" -ldl
	mixed
	LD_PRELOAD=$library "$GOTAP" record -q --attach inline -p "$TARGET" -d 60s -o "$BATS_TEST_TMPDIR/killed" 2>/dev/null 3>&- &
	RECORDER=$!
	wait "$RECORDER" || true
	wait_for 60 has_descriptor
	cleaned_by_the_next
	[ "$(inline_of cleaned)" = true ]
	[ -z "$(descriptors_of_gotap "$TARGET")" ]
	target_runs
}

@test "its prober alone is killed: the recording ends and says so, and the next gotap takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -KILL "$(prober)"
	ATTACH='' wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap-prober) was killed"* ]]
	trace_ok "$TRACE"
	cleaned_by_the_next
	target_runs
}

@test "gotap alone is killed: its prober takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -KILL "$RECORDER"
	wait_for 60 eval '! memory_of_gotap "$TARGET"'
	wait_for 60 text_is_clean "$TARGET"
	target_runs
}

@test "gotap is stopped: its prober takes all out, and when it is continued the trace ends at the stop" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -STOP "$RECORDER"
	wait_for 60 eval '! memory_of_gotap "$TARGET"'
	wait_for 60 text_is_clean "$TARGET"
	kill -CONT "$RECORDER"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap itself was stopped"* ]]
	trace_ok "$TRACE"
	target_runs
}

# --- a program that is stopped meanwhile ----------------------------------------------------------

# leave_memory: a recording that is killed with its prober leaves memory in the target, and changed calls.
leave_memory() {
	local pid
	start_record "$BATS_TEST_TMPDIR/killed.trace" -p "$TARGET"
	wait_for 60 inline_runs
	pid=$(prober)
	kill -KILL "$RECORDER" "$pid"
	wait "$RECORDER" || true
	wait_for 60 gone "$pid"
	memory_of_gotap "$TARGET"
}

stop_target_now() {
	kill -STOP "$TARGET"
	wait_for 60 grep -q '^State:.T' "/proc/$TARGET/status"
}

# waiting: prints the processes that wait to take out what is left in the target: those of this test's gotap.
waiting() {
	local pid
	for pid in $(pgrep -x gotap-prober); do
		if grep -qsa "GOTAP_TEST_MARK=$MARK" "/proc/$pid/environ"; then echo "$pid"; fi
	done
}

nobody_waits() { [ -z "$(waiting)" ]; }

@test "stopped in the beginning, for longer than gotap looks for a thread: inline as soon as it goes on" {
	mixed
	stop_target_now
	start_record "$TRACE" -p "$TARGET"
	sleep 8
	! memory_of_gotap "$TARGET" || fail "memory in a program that is stopped"
	kill -CONT "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	views_ok "$TRACE"
}

# A recording that ends while the program is stopped: a process of gotap's with $MARK waits for it.
record_that_ends_stopped() {
	export GOTAP_TEST_MARK=$$.$1
	MARK=$GOTAP_TEST_MARK
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	stop_target_now
	stop_record
	[ "$status" -eq 3 ]
}

@test "stopped at the end: gotap says what is left, with a status of its own; when the program goes on it is taken out" {
	record_that_ends_stopped end
	[ "$(inline_of state)" = memory-left ]
	[ "$(inline_of prober_waits)" = true ]
	[[ $(inline_of why) == *"is stopped"* ]]
	memory_of_gotap "$TARGET"
	text_is_clean "$TARGET"
	grep -q '^State:.T' "/proc/$TARGET/status"
	views_ok "$TRACE"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	wait_for 60 nobody_waits
	target_runs
	recorded "$TRACE.2" -p "$TARGET" -d 1s
	[ "$(inline_of earlier)" = none ]
}

@test "stopped at the end, and killed: nobody waits any more" {
	record_that_ends_stopped killed
	[ -n "$(waiting)" ]
	kill -KILL "$TARGET"
	wait_for 60 nobody_waits
}

@test "stopped, and gotap is killed: when the program goes on its prober takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	stop_target_now
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	wait_for 60 text_is_clean "$TARGET"
	sleep 7
	memory_of_gotap "$TARGET"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	target_runs
}

@test "stopped while a gotap begins that finds memory of a killed one: that is taken out later, and the report says so" {
	mixed
	leave_memory
	stop_target_now
	start_record "$TRACE" -p "$TARGET"
	sleep 4.5
	kill -CONT "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	[ "$(inline_of earlier)" = taken-out ]
	is_as_before
}

@test "stopped all the time that a gotap records that finds memory of a killed one: the report says that it is still there" {
	mixed
	leave_memory
	stop_target_now
	uprobes record "$TRACE" -p "$TARGET" -d 1s
	[ "$status" -eq 3 ]
	[ "$(inline_of earlier)" = left ]
	[[ $(inline_of earlier_why) == *"is stopped"* ]]
	[ "$(inline_of cleaned)" = false ]
	[ "$(inline_of prober_waits)" = true ]
	text_is_clean "$TARGET"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	target_runs
}

# --- what is refused -----------------------------------------------------------------------------

@test "a second gotap is refused, whichever way it attaches, and the first one notices nothing" {
	local method
	mixed
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	for method in inline multi perf; do
		gotap record --attach "$method" -p "$TARGET" -d 300ms -o "$TRACE.2"
		[ "$status" -eq 1 ]
		matches '^gotap: another gotap records process'
		[ ! -e "$TRACE.2" ]
	done
	stop_record
	[ "$status" -eq 0 ]
	[ -z "$(inline_of disturbed)" ]
	views_ok "$TRACE"
}

@test "breakpoints of somebody else: those places stay uprobes, and nothing is missing" {
	local other
	mixed
	uprobes start_record "$TRACE.2" --strict -p "$TARGET"
	other=$RECORDER
	uprobes start_record "$TRACE" --strict -p "$TARGET" --attach inline
	wait_for 60 memory_of_gotap "$TARGET"
	uprobes stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	echo "$(inline_of state), $(inline_of places) places, $(inline_of stayed) stayed: $(inline_of why)"
	[ "$(inline_of stayed)" -ge 1 ]
	[[ $(inline_of why) == *breakpoint* ]]
	views_ok "$TRACE"
	REPORT=$TRACE.2.json RECORDER=$other
	uprobes stop_record
	[ "$status" -eq 0 ]
	trace_ok "$TRACE.2"
	is_as_before
}

# within GROUP COMMAND...: runs it in that cgroup.
within() { (echo "$BASHPID" >"$1/cgroup.procs" && exec "${@:2}"); }

# The memory of a program in a cgroup that is full is freed by killing it.
@test "a cgroup with 64 KiB left: recorded by uprobes, and the report says why; with room for it inline goes in" {
	memory_group
	build_prog "$REFERENCE_GO" pingpong
	start_target within "$FOLDER" "$PROG"
	TARGET=$(head -n 1 "$FOLDER/cgroup.procs")
	TARGETS+=" $TARGET"
	leave_room 65536
	uprobes recorded "$TRACE" -p "$TARGET" -d 2s --attach inline
	not_inline "the memory cgroup of process $TARGET has too little room"*
	target_runs
	leave_room $((16 << 20))
	recorded "$TRACE" -p "$TARGET" -d 2s
	[ "$(inline_of state)" = undone ]
	target_runs
	views_ok "$TRACE"
}

@test "a limit of address space that leaves the program too little: recorded by uprobes" {
	local size
	mixed
	size=$(awk '$1 == "VmSize:" { print $2 }' "/proc/$TARGET/status")
	prlimit --pid "$TARGET" --as=$(((size + 150000) * 1024)):
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	not_inline "process $TARGET is too near to a limit of it, Max address space: *"
	prlimit --pid "$TARGET" --as=$(((size + 500000) * 1024)):
	recorded "$TRACE" -p "$TARGET" -d 1s
	[ "$(inline_of state)" = undone ]
}

is_traced() { awk '$1 == "TracerPid:" { exit !$2 }' "/proc/$TARGET/status"; }

@test "a program with a debugger: recorded by uprobes, and the report says why" {
	require_tool strace
	mixed
	strace -qq -o /dev/null -e trace=none -p "$TARGET" 3>&- &
	TARGETS+=" $!"
	wait_for 60 is_traced
	uprobes recorded "$TRACE" -p "$TARGET" -d 700ms --attach inline
	not_inline '*trac*'
	views_ok "$TRACE"
}

@test "a program under a seccomp filter that kills: it lives" {
	require_tool cc
	cc -O1 -o "$BATS_TEST_TMPDIR/seccomp" "$CHECKOUT/tests/lib/seccomp.c"
	build_prog "$REFERENCE_GO" mixed
	start_target "$BATS_TEST_TMPDIR/seccomp" "$PROG" -delay 10h
	grep -qx 'Seccomp:.2' "/proc/$TARGET/status"
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	echo "$(inline_of state): $(inline_of why)"
	[ "$(inline_of state)" = undone ] || not_inline '*seccomp*'
	views_ok "$TRACE"
	target_runs
	is_as_before
}

@test "Go 1.15: recorded by uprobes, and the report says why" {
	mixed 1.15
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	not_inline '*'
	grep -F 'Go up to 1.16 passes arguments on the stack' "$REPORT"
	is_as_before
}

@test "a program that is stopped: its threads cannot be borrowed, nothing is changed" {
	mixed
	kill -STOP "$TARGET"
	uprobes record "$TRACE" -p "$TARGET" -d 1s --attach inline
	[ "$status" -eq 0 ]
	kill -CONT "$TARGET"
	[ "$(inline_of state)" = off ]
	is_as_before
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	[ "$(inline_of state)" = undone ]
}

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

@test "a thread that a debugger holds for 2.15 s amid a record, four times: nothing is lost" { held 2.15 4; }

@test "SIGSTOP for 2.5 s while a thread is amid a record, twice: nothing is lost" { held 2.5 2 stop; }

@test "a method that is none" {
	gotap record --attach outline true
	[ "$status" -eq 2 ]
	contains "--attach takes auto, multi, perf or inline"
}
