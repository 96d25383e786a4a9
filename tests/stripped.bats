#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs without symbols and without DWARF, as they are shipped: functions by .gopclntab, field offsets by release,
# the runtime's lists by what only they can be.

load lib/common
load lib/record
load lib/differential

setup() {
	require_root
	oracle "$REFERENCE_GO"
}

teardown() { stop_targets; }

STRIPPED='-ldflags=-s -w'

agree() {
	build_prog "$1" mixed "$STRIPPED"
	compare "Go $1, stripped" 2
}

# altered PROGRAM COMMAND...: a copy that the command changed, as $PROG.
altered() {
	PROG=$BATS_TEST_TMPDIR/altered
	cp "$1" "$PROG"
	"${@:2}" "$PROG"
}

# The linker writes the release into .go.buildinfo, and the runtime has it once more as a string.
of_release() { sed -i "s/go1\.27\.[0-9]*/go1.$1.4/g" "$2"; }

# for releases 1.22 1.24 1.26 newest (soak-only 1.24 1.26):
#	@test "a stripped program is traced alike: Go %" { agree %; }
@test "a stripped program is traced alike: Go 1.22" { agree 1.22; }
# bats test_tags=soak-only
@test "a stripped program is traced alike: Go 1.24" { agree 1.24; }
# bats test_tags=soak-only
@test "a stripped program is traced alike: Go 1.26" { agree 1.26; }
@test "a stripped program is traced alike: Go 1.27" { agree 1.27; }
# end of releases

@test "a stripped program is traced from its first goroutine on" {
	build_prog 1.27 mixed "$STRIPPED"
	recorded "$BATS_TEST_TMPDIR/a.trace" -- "$PROG" -delay 100ms -dur 300ms -tail 0
	trace_ok -goroutines "$BATS_TEST_TMPDIR/a.trace"
	matches '^goroutine 1 .*name=runtime.main$'
}

@test "the program's own table and DWARF name the same frames" {
	local version dir=$BATS_TEST_TMPDIR
	for version in 1.22 1.27; do
		build_prog "$version" mixed
		recorded "$dir/a.trace" --spool "$dir/spool" -- "$PROG" -delay 100ms -dur 300ms -tail 0
		gotap assemble -q --symbols dwarf -o "$dir/dwarf.trace" "$dir/spool"
		gotap assemble -q --symbols pclntab -o "$dir/pclntab.trace" "$dir/spool"
		succeeds cmp "$dir/dwarf.trace" "$dir/pclntab.trace"
	done
}

@test "the table is found where its section has another name" {
	require_tool objcopy
	build_prog 1.24 pingpong "$STRIPPED"
	altered "$PROG" objcopy --rename-section .gopclntab=.other
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/a.trace" -d 300ms -p "$TARGET"
	trace_ok -stacks "$BATS_TEST_TMPDIR/a.trace"
	contains main.main
}

@test "a release that gotap does not know is refused, and taken for another only on request" {
	local trace=$BATS_TEST_TMPDIR/a.trace
	build_prog 1.27 mixed "$STRIPPED"
	altered "$PROG" of_release 28
	start_target "$PROG" -delay 1h
	run_logged "$GOTAP" record --budget none -d 1s -o "$trace" -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "built with go1.28.4, whose runtime is unknown, and has no DWARF data to learn from; --assume-go 1.27 tries"
	recorded "$trace" --assume-go 1.27 -d 300ms -p "$TARGET"
	views_ok "$trace"
}

@test "a release that is none of the program's is found out" {
	local trace=$BATS_TEST_TMPDIR/a.trace release
	build_prog 1.27 mixed "$STRIPPED"
	start_target "$PROG" -delay 1h
	for release in 1.22 1.23 1.24; do
		run_logged "$GOTAP" record --budget none --assume-go "$release" -d 1s -o "$trace" -p "$TARGET"
		[ "$status" -eq 1 ]
		matches 'cannot (probe|trace)|do not fit this program'
		target_runs
	done
}

# There is no memory to look at before it runs: the check is made meanwhile.
@test "a launched program taken for one of another release" {
	local trace=$BATS_TEST_TMPDIR/a.trace release
	build_prog 1.27 mixed "$STRIPPED"
	for release in 1.24 1.25; do
		run_logged "$GOTAP" record --budget none --assume-go "$release" -o "$trace" -- "$PROG" -dur 300ms
		[ "$status" -eq 125 ]
		matches 'cannot (probe|trace)|could not be seen as it ran'
		[ ! -e "$trace" ]
	done
	altered "$PROG" of_release 28
	recorded "$trace" --assume-go 1.27 -- "$PROG" -dur 300ms
	views_ok "$trace"
}
