#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group alloc: sampled allocations and their ends as events, judged by the profile that the program itself writes, and by
# runtime.MemStats.

load lib/common
load lib/record

setup() { require_root; require_tool python3; require_tool jq; }
teardown() { stop_targets; }

exists() { [ -e "$1" ]; }

# dumps: the program writes its own profile.
dumps() {
	DUMPS=$((DUMPS + 1))
	kill -USR1 "$TARGET"
	wait_for 60 exists "$DIR/done.$DUMPS"
}

# start_allocates VERSION [BUILD FLAG...]: it samples an allocation in 4 KiB.
start_allocates() {
	build_prog "$1" allocates "${@:2}"
	DIR=$(mktemp -d "$BATS_TEST_TMPDIR/own.XXXXXX")
	DUMPS=0
	GODEBUG=memprofilerate=4096 start_target "$PROG" "$DIR"
}

# works_recorded [RECORD ARGUMENT...]
works_recorded() {
	TRACE=$BATS_TEST_TMPDIR/x.trace
	dumps
	start_record "$TRACE" -e +alloc -p "$TARGET" "$@"
	kill -USR2 "$TARGET"
	wait_for 60 exists "$DIR/did.1"
	stop_record
	[ "$status" -eq 0 ]
	dumps
}

# Go 1.15 samples nothing of the first 9.4 MB that its first P allocates (docs/alloc.md), which its own profile lacks, too:
# there only counts are compared.
judged() {
	local stats=$DIR/stats
	[ "${1:-}" != 1.15 ] || stats=
	trace_ok "$TRACE"
	"$GOTAP" text --events --json "$TRACE" >"$BATS_TEST_TMPDIR/events"
	"$GOTAP" report --json "$TRACE" >"$BATS_TEST_TMPDIR/report"
	cat "$DIR/stats.1" "$DIR/stats.2" >"$DIR/stats"
	succeeds python3 "$CHECKOUT/tests/lib/same_allocs.py" "$BATS_TEST_TMPDIR/events" "$DIR/allocs.2.txt" "$BATS_TEST_TMPDIR/report" \
		${stats:+"$stats"}
	[ "$(reported lost)" -eq 0 ]
	[ "$(reported allocs_unpaired)" -eq 0 ]
}

attached() {
	start_allocates "$1"
	works_recorded
	judged "$1"
}

# for releases 1.15 1.19 1.22 1.24 newest (soak-only not 1.15 newest):
#	@test "each sample is that of the program's own profile, with its type, Go %" { attached %; }
@test "each sample is that of the program's own profile, with its type, Go 1.15" { attached 1.15; }
# bats test_tags=soak-only
@test "each sample is that of the program's own profile, with its type, Go 1.19" { attached 1.19; }
# bats test_tags=soak-only
@test "each sample is that of the program's own profile, with its type, Go 1.22" { attached 1.22; }
# bats test_tags=soak-only
@test "each sample is that of the program's own profile, with its type, Go 1.24" { attached 1.24; }
@test "each sample is that of the program's own profile, with its type, Go 1.27" { attached 1.27; }
# end of releases

@test "of a stripped, position-independent program, with code in the target beside" {
	require_inline
	start_allocates 1.27 -buildmode=pie -ldflags=-s\ -w
	works_recorded --attach inline
	judged
}

@test "of a launched program; from a spool; without the group there are none" {
	build_prog 1.27 allocates
	DIR=$(mktemp -d "$BATS_TEST_TMPDIR/own.XXXXXX")
	GODEBUG=memprofilerate=4096 start_record "$BATS_TEST_TMPDIR/x.trace" -e +alloc --spool "$BATS_TEST_TMPDIR/x.spool" -- "$PROG" "$DIR"
	wait_for 60 launched
	kill -USR2 "$TARGET"
	wait_for 60 exists "$DIR/did.1"
	kill "$TARGET"
	wait_record
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/x.text"
	[ "$(grep -c '"gotap.alloc" "size=[0-9]* rate=4096 type=main.leaf"' "$BATS_TEST_TMPDIR/x.text")" -gt 100 ]
	[ "$(grep -c '"gotap.free" "size=[0-9]* rate=4096 collections=[0-9]* type=main.leaf"' "$BATS_TEST_TMPDIR/x.text")" -gt 100 ]
	succeeds "$GOTAP" assemble "$BATS_TEST_TMPDIR/x.spool" -o "$BATS_TEST_TMPDIR/y.trace"
	cmp "$BATS_TEST_TMPDIR/x.trace" "$BATS_TEST_TMPDIR/y.trace"
	start_allocates 1.27
	succeeds "$GOTAP" record --budget none -p "$TARGET" -d 200ms -o "$BATS_TEST_TMPDIR/z.trace"
	[ "$("$GOTAP" text --events "$BATS_TEST_TMPDIR/z.trace" | grep -c 'gotap\.alloc' || true)" -eq 0 ]
}

# launched: sets $TARGET to the program that the recorder has started, once it waits for signals.
launched() {
	TARGET=$(pgrep -P "$RECORDER" -x allocates) && catches_usr2 "$TARGET"
}

catches_usr2() { [ $((0x$(awk '$1 == "SigCgt:" { print $2 }' "/proc/$1/status") >> 11 & 1)) -eq 1 ]; }

@test "report, why and pprof say who allocates" {
	start_allocates 1.27
	works_recorded
	succeeds "$GOTAP" report "$TRACE"
	matches '^ALLOCATIONS, sampled by the runtime: .* by [0-9 ]+ samples$'
	matches '^   main\.drops +[0-9.]+ [kM]B '
	matches 'called for main\.texts$'
	"$GOTAP" report --json "$TRACE" >"$BATS_TEST_TMPDIR/report"
	jq -e '.allocations | (.samples == ([.by_function[].samples] | add)) and (.samples == ([.by_type[].samples] | add))
		and (.gc_seconds > 0) and ((([.by_type[].gc_seconds] | add) - .gc_seconds | fabs) < 1e-6)
		and (.by_function[] | select(.function == "main.keeps") | .freed < .samples / 4)
		and (.by_function[] | select(.function == "main.boxes") | .collections_p50 == 1)' "$BATS_TEST_TMPDIR/report"
	succeeds "$GOTAP" pprof --type alloc "$TRACE" -o "$BATS_TEST_TMPDIR/a.pb.gz"
	require_go "$REFERENCE_GO"
	succeeds "$GO" tool pprof -top -sample_index=alloc_space "$BATS_TEST_TMPDIR/a.pb.gz"
	matches 'main\.drops$'
	# the path of the goroutine that works has assists, or none ran: then there is nothing to say
	succeeds "$GOTAP" why --goroutine 1 --json "$TRACE"
	jq -e 'if .assists then (.assists.own.samples > 0) and (.assists.program.samples >= .assists.own.samples)
		and (.assists.program.places[0].at.function | startswith("main."))
		else ([.causes[].cause.kind] | index("assist") | not) end' <<<"$output"
	"$GOTAP" why --goroutine 1 "$TRACE" >"$BATS_TEST_TMPDIR/why"
	! jq -e .assists <<<"$output" || grep -q 'of assist because of: goroutine 1 main.main has allocated' "$BATS_TEST_TMPDIR/why"
}

@test "a program that samples nothing is named, attached and launched" {
	build_prog 1.27 idle
	start_target "$PROG"
	succeeds "$GOTAP" record -e +alloc -p "$TARGET" -d 100ms -o "$BATS_TEST_TMPDIR/x.trace"
	contains 'the program samples no allocations now (runtime.MemProfileRate is 0'
	contains 'allocations: 0 sampled, 0 samples freed'
	succeeds "$GOTAP" record -e +alloc -o "$BATS_TEST_TMPDIR/x.trace" -- "$PROG" -after 100ms
	contains 'the program samples no allocations now'
}
