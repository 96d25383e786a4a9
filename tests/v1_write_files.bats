#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Trace files become traces in the formats of Go 1.8, 1.11, 1.19 and 1.21: the parsers of the releases that wrote them
# take them, and compute what is in the file. Recorded programs are in v1_write.bats.

load lib/common
load lib/convert
load lib/v1_formats

setup() { T=$BATS_TEST_TMPDIR; }

# converts_all FILE...: converts the files to each format, to $T/FORMAT/FILE: valid traces.
converts_all() {
	local format file
	for format in "${FORMATS[@]}"; do
		mkdir -p "$T/$format"
		for file; do
			"$GOTAP" convert "$file" --format "go$format" -o "$T/$format/${file##*/}" 2>"$T/err" || fail "go$format of $file: $(cat "$T/err")"
		done
		v1_ok "$format" "$T/$format"/*
	done
}

@test "each trace of the test vectors becomes a good trace of every format" {
	local file good=()
	for file in "$CHECKOUT"/tests/vectors/{ok,mmu,quiet,val}*.trace; do
		! "$GOTAP" check "$file" >"$T/out" 2>&1 || good+=("$file")
	done
	[ "${#good[@]}" -gt 50 ]
	converts_all "${good[@]}"
	and_by_others
}

# and_by_others: releases in between accept the files of converts_all, too, each those of one format; and Go 1.22, which
# has the last v1 parser, accepts all.
and_by_others() {
	local release format=0
	parser 1.22
	succeeds "$PARSER" "$T"/1.*/*
	for release in 1.24 1.25 1.26; do
		format=$((format + 1))
		readable_by "$release" "$T/${FORMATS[format]}"/*
	done
}

# same_in VERSION FILE FILE: the parser of that release gives the same events and times of goroutines for both.
same_in() {
	parser "$1"
	"$PARSER" -events -goroutines "$2" | tail -n +2 >"$T/before"
	"$PARSER" -events -goroutines "$3" | tail -n +2 >"$T/after"
	[ -s "$T/before" ]
	diff "$T/before" "$T/after"
}

@test "the traces of Go's own tests come back as they were in their own format" {
	local file format n=0
	require_go 1.19
	require_go "$REFERENCE_GO"
	for file in "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/*_good \
		"$CHECKOUT/build/go/go$REFERENCE_GO"/src/internal/trace/internal/tracev1/testdata/*_1_21_*good; do
		case $file in
		*_1_11_*) format=1.11 ;;
		*_1_19_*) format=1.19 ;;
		*_1_21_*) format=1.21 ;;
		*) continue ;;
		esac
		succeeds "$GOTAP" convert "$file" --format "go$format" -o "$T/x.trace"
		same_in 1.21 "$file" "$T/x.trace"
		n=$((n + 1))
	done
	[ "$n" -ge 10 ]
}

@test "the traces of Go's own tests become good traces of all formats" {
	require_go 1.19
	converts_all "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/{stress_1_5,stress_1_7,stress_1_9,stress_1_10,stress_1_11,user_task_region_1_19,http_1_10}_good
}

# A goroutine in a system call has no P at the begin of an old trace, but it had one, and ended the call before another
# thread took that.
@test "a system call that lasts from before the begin, and keeps its P" {
	local id format
	{
		echo "Trace Go1.23"
		tables 1 1000
		printf '%s\n' "EventBatch gen=1 m=7 time=1000 size=?" "ProcStatus dt=1 p=0 pstatus=3" "GoStatus dt=1 g=1 m=7 gstatus=3"
		for id in {2..6}; do echo "GoStatus dt=1 g=$id m=18446744073709551615 gstatus=4"; done
		printf '%s\n' "GoSyscallEnd dt=10000000" "ProcsChange dt=1000000 procs_value=1 stack=0" "GoDestroy dt=1000000"
	} | trace_of call
	for format in "${FORMATS[@]}"; do
		succeeds "$GOTAP" convert "$T/call.trace" --format "go$format" -o "$T/$format.trace"
		v1_ok "$format" "$T/$format.trace"
		parsers_of "$format"
		same_times "$T/call.trace" "$T/$format.trace" "${PARSERS[0]}"
	done
}

@test "a part of a trace, some goroutines, and a trace without stacks" {
	local file=$CHECKOUT/tests/vectors/ok_runtime_shape_blocked_syscall.trace
	succeeds "$GOTAP" convert "$file" --format go1.19 --strip-stacks -o "$T/x.trace"
	v1_ok 1.19 "$T/x.trace"
	require_go 1.19
	file=$CHECKOUT/build/go/go1.19/src/internal/trace/testdata/stress_1_11_good
	succeeds "$GOTAP" convert "$file" --format go1.21 --from 2ms --to 20ms -o "$T/x.trace"
	v1_ok 1.21 "$T/x.trace"
	succeeds "$GOTAP" convert "$file" --format go1.8 --goroutine 1 --strip-stacks -o "$T/x.trace"
	v1_ok 1.8 "$T/x.trace"
}

@test "scans of a collector of before 1.5 stay in 1.8, and sweeping without amounts loses none" {
	load lib/v1
	made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; ProcStart; GoStart 1; STWStart; STWDone; GCSweepStart 0; GCSweepDone; GoEnd
		Frequency 1000000000
	END
	gotap convert "$MADE" --format go1.8 -o "$T/x.trace"
	[ "$status" -eq 0 ]
	[[ $output != *"left out"* ]]
	[ "$("$GOTAP" text "$T/x.trace" | grep -cE '^GCScan(Start|Done) ')" -eq 2 ]
	v1_ok 1.8 "$T/x.trace"
	made 9 <<<"Batch 0 1000; GoCreate 1 0 0; ProcStart 7; GoStart 1 1; GCSweepStart 0; GCSweepDone 5 0; GoEnd; Frequency 1000000000"
	gotap convert "$MADE" --format go1.8 -o "$T/x.trace"
	contains "left out, not in go1.8: amounts of sweeping: 1"
}

@test "a mark of a wake-up that led to nothing, which readers of today refuse, stays in 1.8 only" {
	load lib/v1
	made 10 <<<"Batch 0 1000; GoCreate 1 0 0; ProcStart 7; GoStart 1 1; FutileWakeup; GoEnd; Frequency 1000000000"
	succeeds "$GOTAP" convert "$MADE" --format go1.8 -o "$T/x.trace"
	[ "$("$GOTAP" text "$T/x.trace" | grep -c '^FutileWakeup ')" -eq 1 ]
	v1_ok 1.8 "$T/x.trace"
	gotap convert "$MADE" --format go1.11 -o "$T/x.trace"
	contains "left out, not in go1.11: marks of futile wake-ups: 1"
	v1_ok 1.11 "$T/x.trace"
}

# gotrace_ok FILE...: gotap check and the rules of the parser of before 1.5 accept all of the files.
gotrace_ok() {
	succeeds "$GOTAP" check "$@"
	succeeds python3 "$CHECKOUT/tests/lib/gotrace.py" "$@"
}

@test "each trace of the vectors and of Go's own tests becomes a good trace of before 1.5" {
	local file n=0
	require_go 1.19
	require_go "$REFERENCE_GO"
	for file in "$CHECKOUT"/tests/vectors/ok*.trace "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/*_good \
		"$CHECKOUT/build/go/go$REFERENCE_GO"/src/internal/trace/internal/tracev1/testdata/*_1_21_*good; do
		"$GOTAP" convert "$file" --format gotrace -o "$T/x.$((n += 1)).trace" 2>"$T/err" || fail "$file: $(cat "$T/err")"
	done
	[ "$n" -gt 60 ]
	gotrace_ok "$T"/x.*.trace
}

@test "a trace of before 1.5 comes back as it was" {
	load lib/v1
	made gotrace <<-END
		Batch 0 1000; GoCreate 1 4096 0; ProcStart; @5 GoStart 1; @5 GCStart 7; @5 GoCreate 2 8192 7
		Batch 1 1003; ProcStart; @14 GoStart 2; @5 GCStart 0; @5 GCDone; GoSysCall 7; @9 GoSysBlock 0; GoSysExit 2
		Batch 0 1100; GCDone; STWStart; STWDone; GoBlockRecv 7; Stack 7 4100 8200; Frequency 1000000; TimerGoroutine 2
	END
	succeeds "$GOTAP" convert "$MADE" --format gotrace -o "$T/x.trace"
	[[ $output != *"left out"*event* ]]
	gotrace_ok "$MADE" "$T/x.trace"
	# Our numbers of stacks begin with 1.
	diff <("$GOTAP" text --links "$MADE" | sed -E 's/^[0-9]+ @[0-9]+ //; s/stack=7/stack=1/') \
		<("$GOTAP" text --links "$T/x.trace" | sed -E 's/^[0-9]+ @[0-9]+ //')
	"$GOTAP" text "$T/x.trace" | grep -A2 '^Stack id=1 n=2$' | grep -q 'pc=8200'
}

@test "texts and stacks that the format has no room for are cut, and counted" {
	load lib/v1
	local text
	text=$(printf 'x%.0s' {1..3000})
	made 11 <<-END
		Batch 0 100; ProcStart 7; GoCreate 1 0 0; GoStart 1 1; Gomaxprocs 1 0; String 1 "$text"; UserLog 1 1 0 "$text"
		UserLog 1 0 0 "${text:0:1024}"; GoEnd; Frequency 1000000000
	END
	gotap convert "$MADE" --format go1.22 -o "$T/x.trace"
	[ "$status" -eq 0 ]
	[ "$("$GOTAP" text "$T/x.trace" | grep -c "data=\"${text:0:1024}\"$")" -eq 1 ]
	contains "left out, not in go1.22: texts that are longer than the format allows, cut: 2"
	gotap convert "$MADE" -o "$T/x.trace"
	contains "left out, not in go1.22: texts that are longer than the format allows, cut: 2"
	gotap convert "$MADE" --format go1.19 -o "$T/x.trace"
	[[ $output != *cut* ]]
	[ "$("$GOTAP" text "$T/x.trace" | grep -c "data=\"$text\"$")" -eq 2 ]
	v1_ok 1.19 "$T/x.trace"
}

@test "formats that nobody writes are refused by name" {
	local command
	for command in 'record -p 1' 'assemble x' 'convert x -o y'; do
		# shellcheck disable=SC2086
		gotap $command --format go1.20
		[ "$status" -eq 2 ]
		contains 'gotrace, go1.8, go1.11, go1.19, go1.21, go1.22, go1.23, go1.25 or go1.26'
	done
}
