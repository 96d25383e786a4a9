#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Pages of the program that are not in memory when a probe reads them: a stack that ends there is marked and reported,
# and the page is brought in, so that the stacks that follow are whole. Texts that are constants are whole in any case.

load lib/common
load lib/record

setup() {
	require_root
	build_prog "$REFERENCE_GO" cutstack
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# cut_is_reported STATUS: the report has it as JSON and as text, and the raw records give it again.
cut_is_reported() {
	[ "$status" -eq "$1" ]
	[ "$(reported stacks_cut)" -gt 0 ]
	[ "$(reported lost)$(reported repairs_total)" = 00 ]
	run_logged "$GOTAP" assemble -v --strict "$TRACE.spool" -o "$TRACE.again"
	[ "$status" -eq 1 ]
	matches "^lost: 0, repairs: 0, stacks cut short: $(reported stacks_cut)"
	contains "stacks cut short: $(reported stacks_cut): "
	cmp "$TRACE" "$TRACE.again"
	views_ok "$TRACE"
}

# recorded_until COMMAND... -- ARGUMENT...: makes a recording with raw records, and ends it when COMMAND succeeds.
recorded_until() {
	local until=()
	while [ "$1" != -- ]; do
		until+=("$1")
		shift
	done
	start_record "$TRACE" --strict --spool "$TRACE.spool" -p "$TARGET" "${@:2}"
	wait_for 60 "${until[@]}"
	stop_record
}

# has_record REGEX: one of the records so far matches.
has_record() { "$GOTAP" records "$TRACE.spool.partial" 2>/dev/null | grep -Eq -- "$1"; }

# most_frames SPOOL: of the stacks in which a goroutine parked.
most_frames() { "$GOTAP" records "$1" | sed -nE 's/.* STACK .* class=park .* frames=([0-9]+) .*/\1/p' | sort -n | tail -n 1; }

@test "a page of a stack without access: the stack is cut short, and that is said" {
	start_target "$PROG"
	recorded_until has_record ' GO_PARK ' --
	cut_is_reported 1
	[ "$(most_frames "$TRACE.spool")" -lt 60 ]
}

has_whole_stack() { [ "$(most_frames "$TRACE.spool.partial" 2>/dev/null || true)" -gt 60 ]; }

# From its start on, so that no reading of all states brings the page in.
@test "a page of a stack that comes in when it is touched: the stacks that follow are whole" {
	start_record "$TRACE" --strict --spool "$TRACE.spool" -- "$PROG" -page late
	wait_for 60 has_whole_stack
	pkill -x cutstack -P "$RECORDER"
	wait_record
	cut_is_reported 125
	[ "$(most_frames "$TRACE.spool")" -gt 60 ]
}

@test "a recording that is not flawless: with --strict an error says so, with -q also what is wrong" {
	start_target "$PROG"
	run_logged "$GOTAP" record -q --strict -d 300ms --budget none -p "$TARGET" -o "$TRACE" --spool "$TRACE.spool"
	[ "$status" -eq 1 ]
	contains "gotap: --strict: the trace is not flawless"
	contains "stacks cut short: "
	run_logged "$GOTAP" assemble -q --strict "$TRACE.spool" -o "$TRACE.again"
	[ "$status" -eq 1 ]
	contains "gotap: --strict: the trace is not flawless"
	run_logged "$GOTAP" assemble -q "$TRACE.spool" -o "$TRACE.again"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

# No stack is walked from there but those of samples: nobody preempts the function.
@test "a sample whose first caller cannot be read: its stack is cut short, and that is said" {
	export GODEBUG=asyncpreemptoff=1
	start_target "$PROG" -spin
	recorded_until has_record ' CPU_LEAF ' -- --cpu-samples 500
	cut_is_reported 1
}

# annotated FROM [STATUS]: records the program coldtext until some of its texts are complete; sets $ANNOTATIONS to the
# records with texts.
annotated() {
	build_prog "$REFERENCE_GO" coldtext
	start_target "$PROG" -from "$1"
	recorded_until has_whole_texts --
	[ "$status" -eq "${2:-0}" ]
	[ "$(reported lost)$(reported repairs_total)" = 00 ]
	views_ok "$TRACE"
	ANNOTATIONS=$BATS_TEST_TMPDIR/annotations
	"$GOTAP" records "$TRACE.spool" | grep -E ' USER_(LOG|REGION_BEGIN|REGION_END) ' >"$ANNOTATIONS"
	tail -n 3 "$ANNOTATIONS"
}

has_whole_texts() { [ "$("$GOTAP" records "$TRACE.spool.partial" 2>/dev/null | grep -c ' USER_LOG .*a constant that')" -ge 10 ]; }

# texts REGEX: how many annotations end with such texts.
texts() { grep -cE " missing=none .* $1\$" "$ANNOTATIONS" || true; }

@test "texts of annotations that are constants and not in memory: they come from the program's file" {
	local log='"[ a-z0-9,]{63}"' name='"[ a-z0-9]{10}"'
	annotated file
	[ "$(reported unreadable)" = 0 ]
	[ "$(texts "\"category\" $log")" -gt 0 ]
	[ "$(texts "$name $log")" -gt 0 ]
	[ "$(texts "$name \"\"")" -gt 0 ]
	[ $(($(texts "(\"category\"|$name) $log") + $(texts "$name \"\""))) -eq "$(wc -l <"$ANNOTATIONS")" ]
}

@test "texts of annotations elsewhere that are not in memory: they are lost and counted, and those that follow are whole" {
	annotated memory 1
	[ "$(reported unreadable)" -gt 0 ]
	[ "$(texts '"" ""')" -gt 0 ]
	[ "$(texts '"a constant" "a constant that only the tracer reads, [ a-z0-9]*"')" -gt 0 ]
	run_logged "$GOTAP" assemble -v --strict "$TRACE.spool" -o "$TRACE.again"
	[ "$status" -eq 1 ]
	matches "^lost: .*, failed reads of the program.s memory: $(reported unreadable)"
	contains "not readable: $(reported unreadable) reads"
}

@test "the text of a panic that is a constant and not in memory, nor the string that says where: it comes from the program's file" {
	build_prog "$REFERENCE_GO" coldpanic
	record "$TRACE" --strict -e +crash -- "$PROG"
	[ "$(reported unreadable)" = 0 ]
	"$GOTAP" text --events "$TRACE" | grep -q '"gotap" "panic: a constant that only the runtime reads, and '
}

@test "everything of a program is readable" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 1h
	recorded "$TRACE" -p "$TARGET" -d 500ms -e all --format go1.26
	[ "$(reported unreadable)$(reported stacks_cut)" = 00 ]
}
