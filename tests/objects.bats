#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group objects: every object of --object-min bytes and more, by address, size and type. Judged by what a program says
# of its own objects, by runtime.MemStats, and by the runtime's own trace with GODEBUG=traceallocfree=1.

load lib/common
load lib/record
load lib/objects

setup() {
	require_root
	TRACE=$BATS_TEST_TMPDIR/x.trace
	SPOOL=$BATS_TEST_TMPDIR/x.spool
	SAID=$BATS_TEST_TMPDIR/said
	RECORDS=$BATS_TEST_TMPDIR/records
}
teardown() { stop_targets; }

# recorded_objects VERSION [FLAG...]: tests/prog/objects from its start; what it said is in $SAID, the records in
# $RECORDS.
recorded_objects() {
	build_prog "$1" objects
	"$GOTAP" record -v --budget none --strict -e +objects "${@:2}" --spool "$SPOOL" -o "$TRACE" -- "$PROG" \
		>"$SAID" 2>"$BATS_TEST_TMPDIR/report" || { cat "$BATS_TEST_TMPDIR/report"; false; }
	[ "$(tail -n 1 "$SAID")" = done ]
	"$GOTAP" records "$SPOOL" >"$RECORDS"
}

every_object() {
	recorded_objects "$1"
	same_as_said
	same_as_counted
	succeeds "$GOTAP" check "$TRACE"
	[ "$("$GOTAP" text "$TRACE" | grep -c '^HeapObjectAlloc ')" -eq "$(grep -c ' OBJECT_ALLOC ' "$RECORDS")" ]
	grep -q 'objects: those in slots of 1024 bytes and more' "$BATS_TEST_TMPDIR/report"
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "every object, as the program says itself, Go %" { every_object %; }
@test "every object, as the program says itself, Go 1.22" { every_object 1.22; }
# bats test_tags=soak-only
@test "every object, as the program says itself, Go 1.23" { every_object 1.23; }
# bats test_tags=soak-only
@test "every object, as the program says itself, Go 1.24" { every_object 1.24; }
# bats test_tags=soak-only
@test "every object, as the program says itself, Go 1.25" { every_object 1.25; }
# bats test_tags=soak-only
@test "every object, as the program says itself, Go 1.26" { every_object 1.26; }
@test "every object, as the program says itself, Go 1.27" { every_object 1.27; }
# end of releases

# A probe cannot read a page that is not in memory. The mark bits of new, large spans are in such pages (newspans.go).
new_spans() {
	build_prog "$1" newspans
	recorded "$TRACE" -e +objects -- "$PROG"
	[ "$("$GOTAP" text "$TRACE" | grep -c '^HeapObjectFree ')" -ge 2000 ]
}

# for releases 1.22 newest (soak-only not newest):
#	@test "spans that are dead before the runtime has touched their bits, Go %" { new_spans %; }
# bats test_tags=soak-only
@test "spans that are dead before the runtime has touched their bits, Go 1.22" { new_spans 1.22; }
@test "spans that are dead before the runtime has touched their bits, Go 1.27" { new_spans 1.27; }
# end of releases

# Names of types may not be in memory (coldtypes.go): gotap reads those that a probe cannot read from the program's
# file.
cold_types() {
	build_prog "$1" coldtypes
	recorded "$TRACE" -e +objects --spool "$SPOOL" -- "$PROG"
	"$GOTAP" records "$SPOOL" >"$RECORDS"
	allocated | grep ' main\.' | cut -d ' ' -f 2- >"$BATS_TEST_TMPDIR/seen"
	printf '2048 main.first\n3072 main.second\n4096 main.third\n' | diff - "$BATS_TEST_TMPDIR/seen"
	grep -q ' OBJECT_TYPE .*bytes=4008 bytes=8 "main.third" ""$' "$RECORDS"
}

# for releases 1.22 newest (soak-only not newest):
#	@test "names of types that are not in memory, Go %" { cold_types %; }
# bats test_tags=soak-only
@test "names of types that are not in memory, Go 1.22" { cold_types 1.22; }
@test "names of types that are not in memory, Go 1.27" { cold_types 1.27; }
# end of releases

# beside VERSION: the same program's own trace, every event of every address. Now and then a runtime writes a trace of
# itself that its own reader refuses (an STWEnd without its begin, Go 1.27): then once more.
beside() {
	local i
	oracle "$REFERENCE_GO"
	for i in 1 2 3; do
		record_beside "$1"
		run_logged "$ORACLE/memory" -kinds HeapObject -max-p99 50ms "$BATS_TEST_TMPDIR/rt.trace" "$TRACE"
		[[ $status -eq 2 && $output == *rt.trace:* ]] || break
	done
	[ "$status" -eq 0 ]
}

record_beside() {
	local theirs=$BATS_TEST_TMPDIR/rt.trace
	build_prog "$1" memory
	GODEBUG=traceallocfree=1 start_target "$PROG" -trace "$theirs" -dur 1200ms -rounds 600
	start_record "$TRACE" --strict -e sched,objects,spans -p "$TARGET"
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	stop_target
	views_ok "$TRACE"
}

# for releases 1.23 1.25 newest (soak-only 1.25):
#	@test "objects equal the runtime's, one by one with their types, Go %" { beside %; }
@test "objects equal the runtime's, one by one with their types, Go 1.23" { beside 1.23; }
# bats test_tags=soak-only
@test "objects equal the runtime's, one by one with their types, Go 1.25" { beside 1.25; }
@test "objects equal the runtime's, one by one with their types, Go 1.27" { beside 1.27; }
# end of releases

@test "--object-min rounds up to a size of slots, and smaller objects are left out" {
	recorded_objects 1.27 --object-min 1800
	grep -q 'objects: those in slots of 2048 bytes and more' "$BATS_TEST_TMPDIR/report"
	[ "$(allocated | awk '$2 < 2048' | wc -l)" -eq 0 ]
	[ "$(allocated | awk '$3 == "main.linked"' | wc -l)" -eq 1200 ]
	grep ' OBJECT_FREE ' "$RECORDS" | grep -q bytes=2048
	! grep ' OBJECT_FREE ' "$RECORDS" | grep -Eq 'bytes=(1...|[0-9]{1,3}) '
}

@test "readers from Go 1.23 on take objects; a stripped program's have their types, too" {
	build_prog 1.27 objects -ldflags '-s -w'
	succeeds "$GOTAP" record -v --budget none --strict -e +objects --format go1.23 -o "$TRACE" -- "$PROG"
	for version in 1.23 1.25 1.27; do readable_by "$version" "$TRACE"; done
	"$GOTAP" record -v --budget none --strict -e +objects --spool "$SPOOL" -o "$TRACE" -- "$PROG" >"$SAID" 2>"$BATS_TEST_TMPDIR/report"
	"$GOTAP" records "$SPOOL" >"$RECORDS"
	same_as_said
}

# probes_of_objects EVENTS: prints how many there are.
probes_of_objects() { "$GOTAP" doctor --json -e "$1" "$PROG" | jq '[.probes[].function | select(contains("mallocgc"))] | length'; }

@test "objects come only when they are named, and where every one can be had" {
	require_tool jq
	build_prog 1.27 objects
	for events in default all default,all +sweep; do
		[ "$(probes_of_objects "$events")" -eq 0 ]
	done
	for events in objects +objects all,objects; do
		[ "$(probes_of_objects "$events")" -eq 1 ]
	done
	run_logged "$GOTAP" record --object-min 4096 -o "$TRACE" -- "$PROG"
	[ "$status" -eq 2 ]
	contains 'give --events +objects'
	run_logged "$GOTAP" record -e +objects --object-min 512 -o "$TRACE" -- "$PROG"
	[ "$status" -eq 2 ]
	run_logged "$GOTAP" record -e +objects --format go1.22 -o "$TRACE" -- "$PROG"
	[ "$status" -eq 2 ]
	contains 'go1.23 or later'
	build_prog 1.21 gc
	run_logged "$GOTAP" record -e +objects -o "$TRACE" -- "$PROG" -dur 1ms
	[ "$status" -eq 125 ]
	contains 'objects can be recorded from Go 1.22 on'
}

@test "+ and - in --events change the default" {
	require_tool jq
	build_prog 1.27 gc
	functions() { "$GOTAP" doctor --json -e "$1" "$PROG" | jq -r '.probes[] | .function + .site' | sort; }
	[ "$(functions +sweep)" != "$(functions default)" ]
	[ "$(functions +sweep)" = "$(functions default,sweep)" ]
	[ "$(functions +sweep,-heap)" = "$(functions default,sweep,-heap)" ]
	[ "$(functions -heap,+spans)" = "$(functions default,-heap,spans)" ]
	[ "$(functions gc,+sweep)" = "$(functions gc,sweep)" ]
	for wrong in + +, ++sweep +-sweep +nosuch; do
		run_logged "$GOTAP" doctor -e "$wrong" "$PROG"
		[ "$status" -eq 2 ]
	done
}
