#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# A cause on the path of a unit of work says of which nature it is: tests/sick has a program path_NAME for each, in which
# EXPLAIN marks a line and the words. The unit is named, because which one is chosen is another question (tests/strangers).

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	require_go "$REFERENCE_GO"
	cd "$BATS_TEST_TMPDIR"
	renice -n -15 -p "$BASHPID" >/dev/null
}

teardown() { stop_targets; }

# explained NAME: makes the file "told" with the report of a recording of the program.
explained() {
	local cgo=0
	[ "$1" != ccall ] || cgo=1
	(cd "$CHECKOUT/tests/sick" && CGO_ENABLED=$cgo "$GO" build -o "$BATS_TEST_TMPDIR/$1" "path_$1.go" run.go) || return
	start_target "./$1" -dur 60s
	"$GOTAP" record -q --budget none -p "$TARGET" -d 800ms -o "$1.trace"
	stop_target
	"$GOTAP" report --json "$1.trace" ${2:+--unit "$2"} >report.json
	jq -r '.answer[0] | .text, (.causes[] | "\(.share) \(.text)")' report.json | tee told
}

# says NAME: the cause of most of the time has the words of the line with EXPLAIN; with LINE also that line.
says() {
	local words line
	words=$(sed -n 's|.*// EXPLAIN ||p' "$CHECKOUT/tests/sick/path_$1.go")
	line=$(grep -n '// EXPLAIN' "$CHECKOUT/tests/sick/path_$1.go" | cut -d : -f 1)
	sed -n 2p told | grep -F "$words" || fail "the first cause is not '$words'" || return
	[ -z "${2:-}" ] || sed -n 2p told | grep -F "(path_$1.go:$line)"
}

@test "pauses between attempts" { explained backoff main.deliver && says backoff line; }
@test "a connection that is dialled for each call" { explained dial main.call && says dial line; }
@test "a finalizer that others wait for" { explained finalizer main.visit && says finalizer line; }
@test "a call of C" { require_tool gcc; explained ccall main.request && says ccall; }
@test "CPUs that are full" { explained full main.request && says full; }

# gc_says NAME WORDS...: the finding about the collector has each of the texts.
gc_says() {
	local text words
	(cd "$CHECKOUT/tests/sick" && CGO_ENABLED=0 "$GO" build -o "$BATS_TEST_TMPDIR/$1" "$1.go" run.go) || return
	start_target "./$1" -dur 60s
	"$GOTAP" record -q --budget none -p "$TARGET" -d 1500ms -o "$1.trace"
	stop_target
	text=$("$GOTAP" report --json "$1.trace" | jq -r '.findings[] | select(.kind == "gc").text')
	for words in "${@:2}"; do [[ $text == *"$words"* ]] || fail "not '$words' but '$text'" || return; done
}

@test "a heap goal that GOMEMLIMIT sets" { gc_says gc_limit 'a limit (GOMEMLIMIT) sets it, and not GOGC'; }
@test "a heap that grows, and its goal, which GOGC sets" {
	gc_says gc_grows 'GOGC sets it, at about 3' 'What lives grows from '
}

@test "a heap of one size: neither setting can be told, and nothing grows" {
	gc_says gc_often 'The heap may grow to'
	! "$GOTAP" report --json gc_often.trace | grep -E 'sets it|What lives' || fail "a false sentence"
}

@test "a healthy program: no pause between attempts, nothing that is full, no finding" {
	explained paced
	! grep -E 'pauses between attempts|are full|dialling|finalizer|cgo' told || fail "a false nature"
	jq -e '.findings == []' report.json
}
