#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group linux: when the program's threads are on a CPU, and what keeps them off. Compared with the kernel's own counts
# (schedstat, cpu.stat, stat) and its own records of the same tracepoints (tracefs). These are read while the program is
# stopped, or before and after a time as bounds of it: so the results do not depend on the machine's load.

load lib/common
load lib/cgroup
load lib/threads

setup() {
	require_root
	TRACE=$BATS_TEST_TMPDIR/x.trace
	SPOOL=$BATS_TEST_TMPDIR/x.spool
	REPORT=$BATS_TEST_TMPDIR/x.json
	build_prog "$REFERENCE_GO" kernel
	FOLDER='' HOG='' RECORDER='' TRACEFS=''
}

teardown() {
	local pid
	thaw
	[ -z "$TRACEFS" ] || end_tracefs
	for pid in $HOG $RECORDER ${TARGET:-} ${OUTER:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$FOLDER" ] || rmdir "$FOLDER"
}

# --- helpers ---

# true_of EXPRESSION [NAME=FILE...]: the expression is true of the last report (lib/threads.py).
true_of() { python3 "$CHECKOUT/tests/lib/threads.py" "$REPORT" "$@"; }

# schedstat FILE: writes the schedstat of all threads of the target, with the ids of its PID namespace if INNER is set.
schedstat() {
	local task tid
	for task in "/proc/$TARGET/task/"*; do
		tid=${task##*/}
		[ -z "${INNER:-}" ] || tid=$(sed -n 's/^NSpid:.*\t//p' "$task/status")
		echo "$tid $(cat "$task/schedstat")"
	done >"$1"
}

# agrees_with_schedstat: the report has what the threads ran and waited between the files "before" and "after". Threads
# that are only in "after" began in between.
agrees_with_schedstat() {
	local file
	for file in before after; do
		[ -s "$BATS_TEST_TMPDIR/$file" ]
	done
	true_of "all(near(t[i].on_cpu_seconds, a[0] - b.get(i, (0, 0))[0]) and near(t[i].runqueue_seconds, a[1] - b.get(i, (0, 0))[1])
		 for b in [schedstat('$BATS_TEST_TMPDIR/before')] for i, a in schedstat('$BATS_TEST_TMPDIR/after').items())" ||
		{ tail -n +1 "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"; return 1; }
	# the states add up to the life of each thread
	true_of 'all(abs(x.seconds - sum(x.states.values())) < 1e-4 for x in t.values())'
}

# has_run: the threads have used 0.1 s of CPU time since the file "before".
has_run() {
	schedstat "$BATS_TEST_TMPDIR/now"
	awk '{ sum += NR == FNR ? -$2 : $2 } END { exit sum < 1e8 }' "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/now"
}

now() { echo "${EPOCHREALTIME/./}"; }

# seconds_since US
seconds_since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.6f\n", (b - a) / 1e6 }'; }

# --- the kernel's sums ---

@test "time on CPUs and waiting for them is what schedstat says, for each thread" {
	start_target taskset -c 0 "$PROG" burn 3
	nice -n -5 taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	HOG=$!
	stop
	schedstat "$BATS_TEST_TMPDIR/before"
	begin
	kill -CONT "$TARGET"
	wait_for 60 has_run
	wait_for 60 saw 1 "THREAD_OFF task=$HOG/$HOG .*why=runnable"
	stop
	schedstat "$BATS_TEST_TMPDIR/after"
	end
	true_of 'd["lost"] == 0 and total.unknown == 0'
	agrees_with_schedstat
	true_of 'total.runqueue_seconds > 0.1 and total.on_cpu_seconds >= 0.1'
}

@test "in a PID namespace, with --container-tids: the same by the ids that the program has" {
	start_target unshare -p -f --kill-child "$PROG" burn 2
	OUTER=$TARGET
	TARGET=$(cat "/proc/$TARGET/task/$TARGET/children")
	TARGET=${TARGET% }
	INNER=yes
	stop
	schedstat "$BATS_TEST_TMPDIR/before"
	begin --container-tids
	kill -CONT "$TARGET"
	wait_for 60 has_run
	stop
	schedstat "$BATS_TEST_TMPDIR/after"
	end
	true_of '1 in t and total.unknown == 0'
	agrees_with_schedstat
}

# When a thread leaves its CPU for the last time it has no id in the PID namespace any more: its record has id 0.
@test "in a PID namespace, with --container-tids: threads end" {
	local threads
	start_target unshare -p -f --kill-child "$PROG" burn 2
	OUTER=$TARGET
	TARGET=$(cat "/proc/$TARGET/task/$TARGET/children")
	TARGET=${TARGET% }
	stop
	begin --container-tids
	threads=$(ls "/proc/$TARGET/task" | wc -l)
	kill -CONT "$TARGET"
	sleep 0.3
	kill -KILL "$TARGET"
	wait "$RECORDER" || { cat "$REPORT"; return 1; }
	RECORDER=
	"$GOTAP" records "$SPOOL" >"$SPOOL.txt"
	grep -q '^[0-9]* 0 THREAD_OFF .*why=dead' "$SPOOL.txt"
	true_of "0 not in t and 1 in t and len(t) >= $threads and total.unknown == 0"
}

# The levels of the budget leave out records of uprobes. When these are away for a time, records of threads go on.
@test "--budget: threads are recorded all the time" {
	start_target "$PROG" pingpong 50
	stop
	schedstat "$BATS_TEST_TMPDIR/before"
	begin --budget 0.1
	kill -CONT "$TARGET"
	wait_for 60 saw 1 ' GAP '
	sleep 0.4
	wait_for 60 has_run
	stop
	schedstat "$BATS_TEST_TMPDIR/after"
	end
	true_of 'any(x["level"] == "slices" for x in report["budget_steps"]) and report["unrecorded_seconds"] > 0.3'
	true_of 'total.unknown == 0'
	agrees_with_schedstat
}

@test "what Go calls running is time on a CPU and what was taken of it" {
	start_target taskset -c 0 "$PROG" burn 3
	taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	HOG=$!
	begin
	schedstat "$BATS_TEST_TMPDIR/before"
	wait_for 60 has_run
	end
	run_logged python3 "$CHECKOUT/tests/lib/threads_running.py" "$SPOOL.txt"
	explain "$output"
	[ "$status" -eq 0 ]
}

@test "wakers and switches are those that the kernel's own records of these tracepoints have" {
	start_target "$PROG" pingpong 50
	begin_tracefs
	begin
	wait_for 60 saw 1000 THREAD_WAKE
	stop
	end
	end_tracefs
	true_of 'd["lost"] == 0'
	python3 "$CHECKOUT/tests/lib/threads_tracefs.py" "$BATS_TEST_TMPDIR/tracefs" "$SPOOL.txt"
}

begin_tracefs() {
	local event
	TRACEFS=$BATS_TEST_TMPDIR/tracing
	mkdir "$TRACEFS"
	mount -t tracefs tracing "$TRACEFS" 2>/dev/null || { TRACEFS=; skip "no tracefs here"; }
	INSTANCE=$TRACEFS/instances/gotap-$$
	mkdir "$INSTANCE" || { end_tracefs; skip "no instances of tracefs here"; }
	echo 16384 >"$INSTANCE/buffer_size_kb"
	echo mono >"$INSTANCE/trace_clock"
	for event in switch waking; do
		[ -e "$INSTANCE/events/sched/sched_$event" ] || { end_tracefs; skip "no events in tracefs here"; }
		echo 1 >"$INSTANCE/events/sched/sched_$event/enable"
	done
}

# end_tracefs: removes the tracefs instance, and keeps its records in the file tracefs.
end_tracefs() {
	if [ -d "$INSTANCE" ]; then
		echo 0 >"$INSTANCE/tracing_on"
		cat "$INSTANCE/trace" >"$BATS_TEST_TMPDIR/tracefs"
		rmdir "$INSTANCE"
	fi
	umount "$TRACEFS"
	rmdir "$TRACEFS"
	TRACEFS=
}

# --- each cause ---

@test "throttled by a quota of a fifth of a CPU" {
	quota_group
	start_target "$PROG" burn 2
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	wait_for 60 quota_is_used_up
	schedstat "$BATS_TEST_TMPDIR/before"
	begin
	sleep 2
	end
	schedstat "$BATS_TEST_TMPDIR/after"
	true_of 'd["cgroup"]["quota_cpus"] == 0.2 and d["cgroup"]["levels_up"] == 0'
	true_of 'd["cgroup"]["periods"] >= 10 and d["cgroup"]["throttled_periods"] >= d["cgroup"]["periods"] / 2'
	true_of "all(x.on_cpu_seconds <= a[i][0] - b.get(i, (0, 0))[0] + 0.01 for b in [schedstat('$BATS_TEST_TMPDIR/before')]
		for a in [schedstat('$BATS_TEST_TMPDIR/after')] for i, x in t.items())"
	true_of 'busiest.throttled_seconds > 0.5 * d["seconds"]'
	# not more than the kernel has counted, but for the periods at the begin and the end, which it counts in part
	true_of 'all(x.throttled_seconds <= d["cgroup"]["throttled_seconds"] + 0.2 for x in t.values())'
	true_of 'total.unknown == 0 and busiest.runqueue_seconds >= busiest.throttled_seconds'
	grep -q 'THREAD_OFF .*why=throttled' "$SPOOL.txt"
	gotap assemble -v "$SPOOL" -o "$TRACE"
	contains "cgroup: a quota of 0.20 CPUs was used up in "
	kill -KILL "$TARGET"
	wait_target
}

@test "stopped by a signal: as long as it was" {
	local before began
	start_target "$PROG" burn 1
	begin
	before=$(now)
	stop
	began=$(now)
	sleep 0.4
	within=$(seconds_since "$began")
	kill -CONT "$TARGET"
	wait_for 60 target_goes_on
	most=$(seconds_since "$before")
	end
	true_of "$within <= busiest.stopped <= $most"
	true_of 'busiest.frozen == 0'
}

target_goes_on() { ! awk '{ sub(/.*\) /, ""); print $1 }' "/proc/$TARGET/task/"*/stat | grep -q T; }

@test "frozen with its cgroup: as long as it was" {
	local before began
	freezer_group
	start_target "$PROG" burn 1
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	begin
	before=$(now)
	freeze
	began=$(now)
	sleep 0.4
	within=$(seconds_since "$began")
	thaw
	end
	most=$(seconds_since "$before")
	# threads that sleep are not frozen until they wake: at least one was
	true_of "$within <= max(x.frozen for x in t.values()) <= $most"
	true_of 'total.stopped == 0'
	kill -KILL "$TARGET"
	wait_target
}

# A thread that starts a program waits in vfork() until the child has left its memory. The kernel's freezer counts it as
# frozen meanwhile, gotap must not.
@test "a thread that starts programs is not frozen" {
	start_target "$PROG" start
	begin
	wait_for 60 saw 1 'THREAD_OFF .*why=blocked .*syscall=\(56\|435\) '	# clone, clone3
	end
	true_of 'total.blocked > 0 and total.frozen == 0'
}

@test "frozen and stopped already as the recording begins" {
	freezer_group
	start_target "$PROG" burn 1
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	freeze
	begin
	sleep 0.3
	thaw
	sleep 0.2
	stop
	end
	true_of 'max(x.frozen for x in t.values()) >= 0.3'
	begin
	sleep 0.3
	end
	true_of 'all(near(x.stopped, x.seconds) for x in t.values())'
	kill -KILL "$TARGET"
	wait_target
}

major_faults() { awk '{ sub(/.*\) /, ""); print $10 }' "/proc/$TARGET/stat"; }

# has_faulted N: the target had N major faults since $before.
has_faulted() { [ "$(major_faults)" -ge $((before + $1)) ]; }

@test "page faults that wait for the disk" {
	local before faults waits
	a_file
	start_target "$PROG" fault "$FILE"
	stop
	before=$(major_faults)
	begin
	kill -CONT "$TARGET"
	wait_for 60 has_faulted 500
	stop
	faults=$(($(major_faults) - before))
	end
	true_of 'total.page_fault > 0.01 and total.io + total.blocked < total.page_fault'
	waits=$(grep -c 'THREAD_OFF .*why=io .*syscall=-' "$SPOOL.txt")
	explain "$faults major faults, $waits waits for a page"
	# a fault may find its page in memory by now, or wait more than once
	[ "$waits" -ge $((faults / 2)) ]
	[ "$waits" -le $((faults * 2)) ]
}

@test "reads of a disk past the page cache" {
	a_file
	start_target "$PROG" read "$FILE"
	begin
	wait_for 60 saw 200 'THREAD_OFF .*why=io .*syscall=17 '	# pread64
	end
	true_of 'total.io > 0 and total.page_fault < total.io'
}

@test "a launched program: each thread from when it was made to its end" {
	"$GOTAP" record -e +linux --budget none --json -o "$TRACE" --spool "$SPOOL" -- "$PROG" -dur 300ms burn 2 \
		>/dev/null 2>"$REPORT" || { cat "$REPORT"; return 1; }
	"$GOTAP" records "$SPOOL" >"$SPOOL.txt"
	grep -q THREAD_NEW "$SPOOL.txt"
	true_of 'len(t) >= 3 and total.unknown == 0 and total.on_cpu_seconds > 0.001'
	# all threads have ended: those of THREAD_NEW, and the first one
	true_of 'sum(1 for w in r if w[2] == "THREAD_NEW") + 1 == sum(1 for w in r if "why=dead" in w)' r="$SPOOL.txt"
}

# --- the whole machine, and the options ---

@test "--system: who had the CPUs" {
	start_target "$PROG" idle
	sh -c 'while sleep 0.02; do :; done' 3>&- &
	HOG=$!
	begin --system
	wait_for 60 saw 20 CPU_SWITCH
	wait_for 60 saw 1 'CPU_SWITCH.*"sleep"'
	end
	true_of 'd["switches_of_others"] >= 20 and d["lost"] == 0'
	gotap record -p "$TARGET" --system -o "$TRACE"
	[ "$status" -eq 2 ]
	contains "--system is for group linux"
}

@test "all groups are those of the program: this one must be named" {
	start_target "$PROG" idle
	gotap record -p "$TARGET" --json -o "$TRACE" -d 100ms -e all,linux
	[ "$status" -eq 0 ]
	contains '"linux"'
}

@test "without the group there is none of it" {
	start_target "$PROG" idle
	gotap record -p "$TARGET" --json -o "$TRACE" -d 100ms -e all --spool "$SPOOL"
	[ "$status" -eq 0 ]
	[[ $output != *'"linux"'* ]]
	! "$GOTAP" records "$SPOOL" | grep -q THREAD || fail "records of threads"
}
