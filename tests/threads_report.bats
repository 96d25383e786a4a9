#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap report with a file of threads beside the trace: the time of running goroutines is split by the states of their
# threads, and what keeps these off CPUs is the first finding. The tests bring about each cause. On a busy machine other
# programs take CPUs, too: that finding, which is true, is not counted in tests of other causes.

load lib/common
load lib/cgroup
load lib/threads

setup() {
	require_root
	require_tool jq
	TRACE=$BATS_TEST_TMPDIR/x.trace
	SPOOL=$BATS_TEST_TMPDIR/x.spool
	# shellcheck disable=SC2034 # lib/threads uses it
	REPORT=$BATS_TEST_TMPDIR/x.json
	build_prog "$REFERENCE_GO" kernel
	FOLDER='' HOG='' RECORDER=''
}

teardown() {
	local pid
	thaw
	for pid in $HOG $RECORDER ${TARGET:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$FOLDER" ] || rmdir "$FOLDER"
}

# reported: writes the report of the last recording to $JSON.
reported() {
	local status=0
	JSON=$BATS_TEST_TMPDIR/report.json
	"$GOTAP" report --json "$TRACE" >"$JSON" || status=$?
	jq -r '.findings[] | "\(.share) \(.kind): \(.text)"' "$JSON"
	return "$status"
}

# first_is KIND [FUNCTION [TEXT]]: the first finding, but for those that other programs have CPUs. FUNCTION and TEXT:
# regular expressions.
first_is() {
	jq -e --arg kind "$1" --arg function "${2:-}" --arg text "${3:-}" \
		'[.findings[] | select(.kind == $kind or (.kind != "preempted" and .kind != "queued"))][0] | .kind == $kind and (.function | test("^" + $function + "$")) and (.text | test($text))' "$JSON" >/dev/null ||
		fail "the first finding is not $*"
}

# holds EXPRESSION: it is true of the report. ns: the sums of an object's states, closes: the parts add up to the whole,
# ran: the time in a state.
holds() {
	jq -e 'def ns: map_values(.sum_ns);
		def closes(whole; part): (whole.sum_ns // 0) == ([part[].sum_ns] | add // 0);
		def all_close: .goroutines | all(closes(.running; .linux.running) and closes(.syscall_whole; .linux.syscall_whole));
		def ran(state): [.goroutines[].linux.running[state].sum_ns // 0] | add;
		'"$1" "$JSON" >/dev/null || fail "not so: $1"
}

# only_preempted: the only finding is that other programs take CPUs, as on a busy machine; and its time is at most three
# times that of the preemptions: the rest is of threads that got a CPU late after a wake-up, and of goroutines without a
# P.
only_preempted() {
	holds 'all(.findings[]; .kind == "preempted" or .kind == "queued") and all_close'
	holds '[.goroutines[].linux[].preempted.sum_ns // 0] as $all | ($all | add) as $ns | all(.findings[]; .kind == "queued" or .seconds * 1e9 <= 3 * $ns)'
}

# --- causes ---

@test "throttled: the quota is the first finding" {
	quota_group
	start_target "$PROG" burn 2
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	wait_for 60 quota_is_used_up
	begin
	sleep 1.5
	end
	reported
	first_is throttled '' 'quota of 0.20 CPUs.* while GOMAXPROCS is'
	holds 'all_close and .linux.cgroup.quota_cpus == 0.2 and .linux.total.throttled_seconds > 0.5'
	holds 'ran("throttled") > ran("on_cpu") and .lost_seconds >= ([.findings[].seconds] | add) * 0.99'
	kill -KILL "$TARGET"
	wait_target
}

@test "a hog on the same CPU: it is named, and the split is that of the raw records" {
	start_target taskset -c 0 "$PROG" burn 1
	nice -n -5 taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	HOG=$!
	begin
	sleep 1
	wait_for 60 saw 1 "THREAD_OFF task=$HOG/$HOG .*why=runnable"
	end
	reported
	first_is preempted '' 'preempted mostly by .* times'
	holds all_close
	# On a busy machine other programs may take more than this one.
	if jq -e "[.linux.preempted_by[] | .seconds * (if .pid == $HOG then 1 else -2 end)] | add > 0" "$JSON" >/dev/null; then
		first_is preempted '' "mostly by sh \\(pid $HOG\\)"
	fi
	# threads_running.py leaves out stays that are not within the records of their thread: with one P, those at the
	# begin and the end.
	python3 - "$(python3 "$CHECKOUT/tests/lib/threads_running.py" "$SPOOL.txt" "$(jq .traces[0].first_ns "$JSON")")" "$JSON" <<-'EOF'
		import ast, json, re, sys
		text, states, first, last = re.match(r"running (\S+) s: (.*), from (\d+) to (\d+)", sys.argv[1]).groups()
		judge = {k: float(v) for k, v in ast.literal_eval(states).items()}
		own = {}
		report = json.load(open(sys.argv[2]))
		trace = report["traces"][0]
		assert trace["gomaxprocs_max"] == 1
		beyond = (trace["duration_ns"] - (int(last) - int(first))) / 1e9
		for row in report["goroutines"]:
		    for state, dist in row["linux"]["running"].items():
		        own[state] = own.get(state, 0) + dist["sum_ns"] / 1e9
		edges = sum(own.values()) - float(text)
		queued = own.get("preempted", 0) + own.get("queued", 0) + own.get("throttled", 0)
		print(judge, own, "edges", edges, "of", beyond)
		assert -1e-3 <= edges < beyond + 1e-3
		assert -1e-3 <= own["on_cpu"] - judge["on_cpu"] <= edges + 1e-3
		assert -1e-3 <= queued - judge["runnable"] <= edges + 1e-3
		assert judge["runnable"] > 0
	EOF
}

@test "more Ps than CPUs" {
	start_target taskset -c 0 env GOMAXPROCS=4 "$PROG" burn 4
	begin
	sleep 1.2
	end
	reported
	holds 'all_close and (.linux.preempted_by | length > 0)'
	case $(jq "[.linux.preempted_by[], .linux.preempted_by_others] | (map(select(.pid == $TARGET).seconds) | add) / (map(.seconds) | add) * 10 | floor" "$JSON") in
	[6-9] | 10) first_is 'too many Ps' '' 'GOMAXPROCS is 4 on 1 CPU:' ;;
	[0-3]) first_is preempted ;;	# a busy machine: other programs took more
	*) first_is preempted || first_is 'too many Ps' ;;
	esac
}

@test "stopped by a signal, and frozen with the cgroup" {
	freezer_group
	start_target "$PROG" burn 1
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	begin
	stop
	sleep 0.5
	kill -CONT "$TARGET"
	sleep 0.3
	end
	reported
	first_is stopped
	holds 'all_close and any(.findings[]; .kind == "stopped" and .seconds >= 0.5) and ran("frozen") == 0'
	begin
	freeze
	sleep 0.5
	thaw
	sleep 0.3
	end
	reported
	first_is frozen
	holds 'all_close and ran("frozen") >= 4e8 and ran("stopped") == 0'
	kill -KILL "$TARGET"
	wait_target
}

@test "page faults and reads that wait for a disk: the function" {
	a_file
	# in the class of real-time threads, so that it waits for the disk and not for a CPU, also on a busy machine
	start_target chrt -r 10 "$PROG" fault "$FILE"
	begin
	sleep 0.5
	wait_for 60 saw 200 'THREAD_OFF .*why=io '
	end
	reported
	first_is 'page faults' 'main\.(pages|fault).*'
	holds 'all_close and ran("page_fault") > 1e7'
	stop_target
	start_target chrt -r 10 "$PROG" read "$FILE"
	begin
	sleep 0.5
	wait_for 60 saw 200 'THREAD_OFF .*why=io '
	end
	reported
	first_is 'slow disk' 'main\.read.*' 'ReadAt'
	line=$(awk '/ReadAt/ { print NR }' "$CHECKOUT/tests/prog/kernel.go")
	holds "all_close and any(.findings[]; .kind == \"slow disk\" and .line == $line)"
	holds '[.goroutines[].linux.syscall_whole.io.sum_ns // 0] | add > 1e7'
}

@test "programs that are healthy get no finding: idle, and with work for one of the CPUs" {
	start_target "$PROG" idle
	begin
	sleep 0.5
	end
	reported
	only_preempted
	stop_target
	start_target "$PROG" burn 1
	begin
	sleep 1
	end
	reported
	only_preempted
}

# --- the file ---

@test "the file of another recording, a damaged one, none, standard input" {
	local other=$BATS_TEST_TMPDIR/other
	start_target "$PROG" burn 1
	begin
	sleep 0.4
	end
	mv "$TRACE" "$other"
	mv "$TRACE.threads" "$other.threads"
	sleep 1.5
	begin
	sleep 0.4
	end
	reported
	holds '.linux.total.on_cpu_seconds > 0'
	# with several traces each has its own file
	gotap report --json "$TRACE" "$other"
	jq -e '(.linux | not) and all(.traces[]; .linux.total.on_cpu_seconds > 0)' <<<"$output" >/dev/null
	jq -e '.version == 1 and all(.goroutines[].linux.running; (.unknown.sum_ns // 0) <= (.on_cpu.sum_ns // 0))' <<<"$output" >/dev/null
	cp "$TRACE.threads" "$BATS_TEST_TMPDIR/own"
	# the file of another recording
	cp "$other.threads" "$TRACE.threads"
	gotap report "$TRACE"
	[ "$status" -eq 0 ]
	contains "is not of the same recording"
	[[ $output != *"THREADS, by Linux"* ]]
	[[ $output != *"on a CPU"* ]]
	"$GOTAP" report --json "$other" "$TRACE" >"$BATS_TEST_TMPDIR/two.json" 2>/dev/null
	jq -e '(.traces[0].linux and (.traces[1].linux | not)) and any(.goroutines[]; .linux.running.on_cpu.sum_ns > 0)' "$BATS_TEST_TMPDIR/two.json" >/dev/null
	# a file that is cut off, and one of another kind
	head -c -100 "$BATS_TEST_TMPDIR/own" >"$TRACE.threads"
	gotap report "$TRACE"
	[ "$status" -eq 1 ]
	contains "x.trace.threads: "
	contains "GOROUTINES BY FUNCTION"
	echo nonsense >"$TRACE.threads"
	gotap report "$TRACE"
	[ "$status" -eq 1 ]
	[[ $output != *"THREADS, by Linux"* ]]
	# no file
	cp "$BATS_TEST_TMPDIR/own" "$TRACE.threads"
	"$GOTAP" report --json - <"$TRACE" >"$BATS_TEST_TMPDIR/stdin.json"
	rm "$TRACE.threads"
	reported
	holds '(has("linux") or (.goroutines | any(has("linux")))) | not'
	cmp <(jq -S 'del(.traces[].name)' "$JSON") <(jq -S 'del(.traces[].name)' "$BATS_TEST_TMPDIR/stdin.json")
}
