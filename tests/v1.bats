#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Traces of Go 1.21 and older, back to the first: read, and converted into traces that Go's own reader takes and in
# which it sees what it sees in the originals. The canned traces are those of the Go releases themselves.

load lib/common
load lib/v1

convert_made() {
	NEW=$BATS_TEST_TMPDIR/new.trace
	made "$1"
	shift
	succeeds "$GOTAP" convert "$MADE" -o "$NEW" "$@"
	v1oracle
	succeeds "$V1ORACLE" "$NEW"
	run_logged "$V1ORACLE" -events "$NEW"
}

# Events of a trace in the groups inside which their order is certain (metrics and samples of two Ps may share a
# time). Left out is what differs on purpose: the first Gomaxprocs, and the parent of a task that ends (Go 1.27 says
# 0 there for v1 and -1 at the beginning).
canonical() {
	local events
	events=$("$V1ORACLE" -lenient -events "$1" | cut -f2- | sed -E '/^g/s/TaskEnd (id=[0-9]+) parent=[0-9]+/TaskEnd \1/' |
		if [ "$2" = new ]; then awk '!/\/sched\/gomaxprocs/ || seen++'; else cat; fi)
	grep -Ev '^(metric|sample)' <<<"$events" | sort -s -t"$(printf '\t')" -k1,1
	grep -E '^(metric|sample)' <<<"$events" | sort
}

@test "every canned trace, 1.5 to 1.21, of Go 1.15 to 1.27 is well, converts, and Go takes the result" {
	v1oracle
	local old new n=0
	for old in $(canned_traces); do
		new=$BATS_TEST_TMPDIR/${old##*/}
		succeeds "$GOTAP" check "$old"
		succeeds "$GOTAP" convert "$old" -o "$new"
		succeeds "$V1ORACLE" "$new"
		views_ok "$new"
		n=$((n + 1))
	done
	[ "$n" -ge 25 ]
}

@test "a converted trace of 1.11 to 1.21 shows what Go sees in the original" {
	v1_traces
	v1oracle
	local old new=$BATS_TEST_TMPDIR/new.trace n=0
	for old in "$V1_TRACES"/*_good; do
		# as long as those of 1.11 and 1.21; others of 1.19 are short
		[[ $old != */stress_1_19_good ]] || continue
		"$GOTAP" convert "$old" -o "$new"
		canonical "$old" old >"$BATS_TEST_TMPDIR/a"
		canonical "$new" new >"$BATS_TEST_TMPDIR/b"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a")" -gt 25 ]
		diff "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" | head -n 5 | grep . && fail "$old"
		n=$((n + 1))
	done
	[ "$n" -ge 11 ]
}

# Where a thread gets its P back from another one, v1 does not tell; Go reads two goroutines on one thread then, and
# its own validator refuses that. So Ps are left out here: our result has the missing stops and starts.
@test "a fresh trace of Go 1.15, 1.19 and 1.21 shows the goroutines that Go sees in it" {
	local version old=$BATS_TEST_TMPDIR/old.trace new=$BATS_TEST_TMPDIR/new.trace
	v1oracle
	for version in 1.15 1.19 1.21; do
		build_prog "$version" mixed
		"$PROG" -trace "$old" -delay 20ms -dur 400ms -rounds 500 -tail 20ms
		succeeds "$GOTAP" convert "$old" -o "$new"
		succeeds "$V1ORACLE" "$new"
		views_ok "$new"
		canonical "$old" old | grep -v '^Proc' >"$BATS_TEST_TMPDIR/a"
		canonical "$new" new | grep -v '^Proc' >"$BATS_TEST_TMPDIR/b"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a")" -gt 1000 ]
		diff "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" | head -n 5 | grep . && fail "Go $version"
	done
	return 0
}

@test "times of a converted trace are those of the original to a few ns" {
	v1_traces
	v1oracle
	local old new=$BATS_TEST_TMPDIR/new.trace
	for old in "$V1_TRACES"/user_task_region_1_{11,19,21}_good "$V1_TRACES"/stress_start_stop_1_11_good; do
		"$GOTAP" convert "$old" -o "$new"
		diff <("$V1ORACLE" -events "$old" | cut -f1) \
			<("$V1ORACLE" -events "$new" | awk '!/\/sched\/gomaxprocs/ || seen++' | cut -f1)
	done
}

opens_in_tool() {
	local old new=$BATS_TEST_TMPDIR/new.trace
	old_traces
	require_go "$1"
	for old in "$OLD_TRACES"/http_1_{5,7,9,10,11,19}_good; do
		"$GOTAP" convert "$old" -o "$new"
		succeeds go_tool trace -pprof=sync "$new"
	done
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "a converted trace opens in go tool trace, Go %" { opens_in_tool %; }
@test "a converted trace opens in go tool trace, Go 1.22" { opens_in_tool 1.22; }
# bats test_tags=soak-only
@test "a converted trace opens in go tool trace, Go 1.23" { opens_in_tool 1.23; }
# bats test_tags=soak-only
@test "a converted trace opens in go tool trace, Go 1.24" { opens_in_tool 1.24; }
# bats test_tags=soak-only
@test "a converted trace opens in go tool trace, Go 1.25" { opens_in_tool 1.25; }
# bats test_tags=soak-only
@test "a converted trace opens in go tool trace, Go 1.26" { opens_in_tool 1.26; }
@test "a converted trace opens in go tool trace, Go 1.27" { opens_in_tool 1.27; }
# end of releases

@test "every header of v2 can be asked for" {
	v1_traces
	v1oracle
	local format new=$BATS_TEST_TMPDIR/new.trace
	for format in go1.22 go1.23 go1.25 go1.26; do
		succeeds "$GOTAP" convert --format "$format" "$V1_TRACES/http_1_21_good" -o "$new"
		[ "$(head -c 7 "$new")" = "go ${format#go}" ]
		succeeds "$V1ORACLE" "$new"
	done
}

@test "convert reads standard input and writes standard output" {
	v1_traces
	v1oracle
	"$GOTAP" convert - -o - <"$V1_TRACES/http_1_21_good" | cat >"$BATS_TEST_TMPDIR/piped"
	"$GOTAP" convert "$V1_TRACES/http_1_21_good" -o "$BATS_TEST_TMPDIR/direct"
	cmp "$BATS_TEST_TMPDIR/piped" "$BATS_TEST_TMPDIR/direct"
}

@test "a trace whose clocks are broken is refused in one line, and no file is left" {
	old_traces
	run_logged "$GOTAP" convert "$OLD_TRACES/stress_1_5_unordered" -o "$BATS_TEST_TMPDIR/new"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "time stamps out of order"
	[ ! -e "$BATS_TEST_TMPDIR/new" ]
}

@test "wrong usage exits 2, missing and foreign files 1" {
	run_logged "$GOTAP" convert
	[ "$status" -eq 2 ]
	run_logged "$GOTAP" convert --format 1.24 x -o y
	[ "$status" -eq 2 ]
	run_logged "$GOTAP" convert /nonexistent -o "$BATS_TEST_TMPDIR/y"
	[ "$status" -eq 1 ]
	run_logged "$GOTAP" convert "$GOTAP" -o "$BATS_TEST_TMPDIR/y"
	[ "$status" -eq 1 ]
	contains "not a trace file"
	run_logged "$GOTAP" convert --help
	[ "$status" -eq 0 ]
}

@test "pre-1.5: goroutines, blocking, wake-ups and system calls" {
	convert_made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; GoCreate 2 8192 0; GoWaiting 2; GoCreate 3 4096 0; GoInSyscall 3
		ProcStart; GoStart 1; Gomaxprocs 2 5; @10 GoUnblock 2 5; @10 GoBlockRecv 5; @10 GoStart 2; @10 GoSysCall 5
		@10 GoSysBlock 0; ProcStop; Batch 1 1100; @50 ProcStart; GoSysExit 3; GoStart 3; GoUnblock 1 5; GoEnd
		@10 GoStart 1; @300 GoSysExit 2; GoSched 5; GoStart 2; GoPreempt 5; GoStart 1; GoEnd; ProcStop
		Stack 5 4100 4200; Frequency 1000000000
	END
	matches 'Goroutine\(3\) Undetermined->Syscall'
	matches 'Goroutine\(1\) Undetermined->Running'
	matches 'Goroutine\(1\) Running->Waiting reason="chan receive".*0x1004'
	matches 'Goroutine\(2\) Running->Syscall.*0x1004'
	matches 'Goroutine\(2\) Syscall->Runnable'
	matches 'Goroutine\(3\) Syscall->Runnable'
	matches 'Goroutine\(2\) Running->Runnable reason="preempted"'
	matches 'metric /sched/gomaxprocs:threads .*2'
}

@test "pre-1.5: collections, scans and sweeps" {
	convert_made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; ProcStart; GoStart 1; @10 GCStart 0; @10 STWStart; @10 STWDone; @10 GCDone
		@10 GCSweepStart 0; @10 GCSweepDone; HeapAlloc 77; NextGC 99; GoEnd; ProcStop; Frequency 1000000000
	END
	matches 'RangeBegin GC concurrent mark phase'
	matches 'RangeEnd GC concurrent mark phase'
	matches 'RangeBegin stop-the-world \(GC scan\) scope=Goroutine\(1\)'
	matches 'RangeBegin GC incremental sweep scope=Proc\(0\)'
	matches 'RangeEnd GC incremental sweep'
}

@test "a P that v1 hands over silently is stopped and started" {
	convert_made 11 <<-END
		Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; Gomaxprocs 4 0; @50 GoSysCall 0
		@50 GoSysBlock; @50 GoStart 2 1; @50 GoBlock 0; @50 GoSysExit 1 2 0; @50 GoStart 1 3; GoEnd; ProcStop
		Frequency 1000000000
	END
	matches 'Proc\(0\) Running->Idle m7'
	matches 'Proc\(0\) Idle->Running m1000000000'
}

@test "an assist and a stopped world that v1 leaves half open are made whole" {
	convert_made 21 <<-END
		Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; Gomaxprocs 4 0; @50 GCMarkAssistDone
		@50 STWStart 9; @50 GoBlock 0; @50 STWDone; @50 GoStart 2 1; @50 GoUnblock 1 2 0; @50 GoEnd; @50 GoStart 1 3
		@50 STWStart 3; @50 GCMarkAssistStart 0; @50 GoEnd; Frequency 1000000000
	END
	matches 'RangeActive GC mark assist'
	matches 'RangeEnd stop-the-world \(GOMAXPROCS\)'
	matches 'RangeEnd stop-the-world \(write heap dump\)'
}

@test "--binary names the stacks of formats that hold addresses" {
	build_prog "$OLD_GO" pingpong
	local main
	main=$("$GO" tool nm "$PROG" | awk '$3 == "main.main" { print $1 }')
	[ -n "$main" ]
	convert_made gotrace --binary "$PROG" <<-END
		Batch 0 1000; GoCreate 1 0x$main 0; ProcStart; GoStart 1; Gomaxprocs 1 0; GoCreate 2 0x$main 5; GoBlock 5
		Stack 5 $((0x$main + 8)); Frequency 1000000000
	END
	matches 'Goroutine\(2\) NotExist->Runnable.*stack: main.main@.*pingpong.go'
	matches 'Running->Waiting.* main.main@.*pingpong.go'
}

# --- text and check ---

@test "check passes every canned trace of 1.5 to 1.21, text prints it, from standard input as well" {
	old_traces
	v1_traces
	local old n=0
	for old in "$OLD_TRACES"/*_good "$V1_TRACES"/*_good; do
		gotap check "$old"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 1 ]
		matches ': ok: go 1\.[0-9]+, [0-9]+ events, [0-9]+ goroutines, [0-9]+ procs$'
		"$GOTAP" text "$old" -o "$BATS_TEST_TMPDIR/a.txt"
		grep -q '^Trace Go1\.' "$BATS_TEST_TMPDIR/a.txt"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a.txt")" -gt 30 ]
		"$GOTAP" text - <"$old" | cmp - "$BATS_TEST_TMPDIR/a.txt"
		n=$((n + 1))
	done
	[ "$n" -ge 25 ]
	cat "$old" | "$GOTAP" check - | grep -q '^-: ok: '
}

@test "check tells a bad trace of an old format from good ones of any format" {
	old_traces
	gotap check "$OLD_TRACES/stress_1_5_unordered" "$CHECKOUT/tests/vectors/ok_goswitch.trace" \
		"$OLD_TRACES/http_1_11_good"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} == *": go 1.5: time stamps out of order"* ]]
	[[ ${lines[1]} == *": ok: go 1.2"* ]]
	[[ ${lines[2]} == *": ok: go 1.11"* ]]
	gotap check --json "$OLD_TRACES/stress_1_5_unordered" "$OLD_TRACES/http_1_11_good"
	[ "$status" -eq 1 ]
	python3 -c 'import json, sys
bad, good = map(json.loads, sys.stdin)
assert not bad["ok"] and "out of order" in bad["fault"]["rule"] and bad["version"] == "go 1.5"
assert good["ok"] and good["version"] == "go 1.11" and good["events"] > 40' <<<"$output"
	head -c 600 "$OLD_TRACES/http_1_11_good" >"$BATS_TEST_TMPDIR/cut"
	gotap check "$BATS_TEST_TMPDIR/cut"
	[ "$status" -eq 1 ]
	cp "$OLD_TRACES/http_1_11_good" "$BATS_TEST_TMPDIR/same"
	gotap text "$BATS_TEST_TMPDIR/same" -o "$BATS_TEST_TMPDIR/same"
	[ "$status" -eq 1 ]
	cmp "$BATS_TEST_TMPDIR/same" "$OLD_TRACES/http_1_11_good"
}

@test "text and check name the addresses of a format without names by the program" {
	local pc
	build_prog "$REFERENCE_GO" sleeper 2>/dev/null || build_prog "$REFERENCE_GO" mixed
	pc=$((0x$("$GO" tool nm "$PROG" | awk '$3 == "main.main" { print $1 }') + 1))
	made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; ProcStart; GoStart 1; @10 GoSched 5; GoStart 1; GoEnd; ProcStop
		Stack 5 $pc; Frequency 1000000000
	END
	gotap text "$MADE"
	matches "^	pc=$pc\$"
	gotap text --binary "$PROG" "$MADE"
	[ "$status" -eq 0 ]
	matches "^	pc=$pc func=\"main\.main\" file=\".*\.go\" line=[0-9]+\$"
	gotap check --binary "$PROG" "$MADE"
	[ "$status" -eq 0 ]
	gotap check --binary "$BATS_TEST_TMPDIR/none" "$MADE"
	[ "$status" -eq 2 ]
}
