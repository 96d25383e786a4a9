#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --region: the calls of any function. tests/prog/regions.go counts and times its calls itself: its functions return,
# recurse, panic, recover, exit the goroutine, and move their stacks.

load lib/common
load lib/record

setup() { require_root; }

teardown() { stop_targets; }

# counts VERSION [BUILD FLAG...]: every call of every function of package main is a region, as the program counted them.
counts() {
	build_prog "$1" regions "${@:2}"
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict --region 'main.*' -- "$PROG" 2 30 100 \
		>"$BATS_TEST_TMPDIR/counts" 2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$BATS_TEST_TMPDIR/x.trace"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/regions.py" "$BATS_TEST_TMPDIR/counts" "$BATS_TEST_TMPDIR/events"
}

# for releases 1.15+ (soak-only not 1.15 1.19 newest):
#	@test "calls of a Go % program" { counts %; }
@test "calls of a Go 1.15 program" { counts 1.15; }
@test "calls of a Go 1.19 program" { counts 1.19; }
# bats test_tags=soak-only
@test "calls of a Go 1.21 program" { counts 1.21; }
# bats test_tags=soak-only
@test "calls of a Go 1.22 program" { counts 1.22; }
# bats test_tags=soak-only
@test "calls of a Go 1.23 program" { counts 1.23; }
# bats test_tags=soak-only
@test "calls of a Go 1.24 program" { counts 1.24; }
# bats test_tags=soak-only
@test "calls of a Go 1.25 program" { counts 1.25; }
# bats test_tags=soak-only
@test "calls of a Go 1.26 program" { counts 1.26; }
@test "calls of a Go 1.27 program" { counts 1.27; }
# end of releases

@test "a stripped program" { counts 1.27 -ldflags=-s; }

@test "a position independent program" { counts 1.26 -buildmode=pie; }

@test "names that match nothing, too much, or what cannot be a region" {
	build_prog 1.27 regions
	refused() {
		gotap record -o "$BATS_TEST_TMPDIR/x.trace" --region "$1" -- "$PROG" 1 1
		[ "$status" -eq "$2" ] && contains "$3"
	}
	refused main.nothing 125 "matches no function"
	refused leaf 125 "it has 'main.leaf'"
	refused main.inlined 125 "has inlined it in"
	refused '*' 125 "functions, at most 64 can be regions"
	refused runtime.mallocgc 2 "run where no goroutine does"
	refused '*casgstatus*' 125 "functions of the runtime only"
	refused reflect.makeFuncStub 125 "assembly"
	[ ! -e "$BATS_TEST_TMPDIR/x.trace" ]
}
