#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap text --links: the events of traces of Go 1.21 and older as the parsers of Go up to 1.22 give them, beside those
# parsers themselves: their order, times, Ps that are none, goroutines, links, and the futile wake-ups that they cut out.

load lib/common
load lib/v1

# v1links VERSION: sets $V1LINKS to the parser of that release as a program.
v1links() {
	require_go "$1"
	V1LINKS=$BUILD/oracle/v1links-$1
	alone "v1links-$1" build_v1links
}

build_v1links() {
	[ -x "$V1LINKS" ] && [ -z "$(find "$CHECKOUT/tests/oracle/v1links" -newer "$V1LINKS" -print -quit)" ] && return
	mkdir -p "$BUILD/oracle"
	"$CHECKOUT/tests/oracle/v1links/build.sh" "${GO%/bin/go}" "$V1LINKS"
}

# Names that changed, and the stacks of 1.5, which the parser has without ids, are alike.
alike() { sed -E 's/(GCScan|GCSTW|STW)(Start|Done)/STW\2/; s/NextGC/HeapGoal/; '"$1" | sort; }

# same_links TRACE: gotap and the parser agree.
same_links() {
	local drop=
	[ "$(head -c 6 "$1")" != 'go 1.5' ] || drop='s/ stack=[0-9]+//'
	"$V1LINKS" "$1" | alike "$drop" >"$BATS_TEST_TMPDIR/go"
	"$GOTAP" text --links "$1" | awk -f "$CHECKOUT/tests/oracle/v1links/compare.awk" | alike "$drop" >"$BATS_TEST_TMPDIR/ours"
	[ -s "$BATS_TEST_TMPDIR/go" ]
	cmp "$BATS_TEST_TMPDIR/go" "$BATS_TEST_TMPDIR/ours" || fail "$1"
}

canned_links() {
	local trace n=0
	v1links "$1"
	while read -r trace; do
		same_links "$trace"
		n=$((n + 1))
	done < <(find "${GO%/bin/go}/src/internal/trace/" -name '*_good' -size "$2")
	[ "$n" -ge "$3" ]
}

@test "the canned traces of Go 1.15 have the links that its parser gives" { canned_links 1.15 -100k 10; }
@test "the canned traces of Go 1.19 have the links that its parser gives" { canned_links 1.19 -100k 12; }
@test "the canned traces of Go 1.21 have the links that its parser gives" { canned_links 1.21 -100k 14; }
@test "the canned traces of Go 1.22 have the links that its parser gives" { canned_links 1.22 -9999k 22; }

@test "traces that keep all rules, of all formats since 1.5, have the links that Go 1.22 gives" {
	local random=$BATS_TEST_TMPDIR/random trace=$BATS_TEST_TMPDIR/random.trace seed
	v1links 1.22
	gcc -O1 -o "$random" "$CHECKOUT/tests/v1/random.c"
	for seed in $(seq 42); do
		"$random" "$seed" >"$trace"
		same_links "$trace"
	done
}

@test "a wake-up that led to nothing is cut out; since 1.11, whose readers of today refuse it, it is an error" {
	local version events
	v1links 1.22
	v1oracle
	for version in 7 10 11 19; do
		made $version <<-END
			Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 2 1; GoBlockRecv 0; GoStart 1 1; Gomaxprocs 1 0
			@9 GoUnblock 2 2 0; GoSched 0; GoStart 2 3; FutileWakeup; GoBlockRecv 0; GoStart 1 2; @9 GoUnblock 2 4 0; GoEnd
			@9 GoStart 2 5; GoEnd; Frequency 1000000000
		END
		gotap check "$MADE"
		if [ $version -lt 11 ]; then
			[ "$status" -eq 0 ]
			same_links "$MADE"
			[ "$("$GOTAP" text --links "$MADE" | grep -c ' GoBlockRecv')" -eq 1 ]
		else
			[ "$status" -eq 1 ]
			contains "unexpected event FutileWakeup"
			run_logged "$V1ORACLE" -lenient "$MADE"
			[ "$status" -eq 1 ]
			contains "unexpected event type"
		fi
		succeeds "$GOTAP" convert "$MADE" -o "$BATS_TEST_TMPDIR/new"
		events=$("$GOTAP" text "$BATS_TEST_TMPDIR/new" | grep -c '^GoBlock ')
		if [ $version -lt 11 ]; then
			[ "$events" -eq 1 ]
			contains "left out 4 events of futile wake-ups"
		else
			[ "$events" -eq 2 ]
			contains "the trace is damaged in 1 place"
			contains "unexpected event FutileWakeup"
		fi
		succeeds "$V1ORACLE" "$BATS_TEST_TMPDIR/new"
	done
}

@test "a stopped world of an unknown kind is refused before 1.21, as by Go up to 1.22, and converted" {
	local version
	v1links 1.22
	v1oracle
	for version in 10 11 19 21; do
		made $version <<-END
			Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoStart 1 1; Gomaxprocs 1 0; STWStart 7; STWDone; GoEnd; Frequency 1000000000
		END
		gotap check "$MADE"
		if [ $version -lt 21 ]; then
			[ "$status" -eq 1 ]
			contains "unknown STW kind 7"
			run_logged "$V1LINKS" "$MADE"
			[ "$status" -eq 1 ]
			contains "unknown STW kind 7"
		else
			[ "$status" -eq 0 ]
			same_links "$MADE"
		fi
		succeeds "$GOTAP" convert "$MADE" -o "$BATS_TEST_TMPDIR/new"
		[ "$("$GOTAP" text "$BATS_TEST_TMPDIR/new" | grep -c '^STWBegin ')" -eq 1 ]
		succeeds "$V1ORACLE" "$BATS_TEST_TMPDIR/new"
	done
}

@test "the links of a trace with bare addresses show the addresses, not our numbers of them" {
	made gotrace <<<"Batch 0 1000; GoCreate 1 4096 0; ProcStart; GoStart 1; GoSched 5; GoStart 1; Stack 5 77; Frequency 1000000000"
	gotap text --links "$MADE"
	[ "$status" -eq 0 ]
	matches ' GoCreate g=1 start_pc=4096 link=3$'
	matches ' GoStart g=1 start_pc=4096 link=4$'
	matches ' GoSched stack=5 link=5$'
	matches ' GoStart g=1$'
	made 5 <<<"Batch 0 1 1000; GoCreate 1 4096 0; ProcStart 7; GoStart 1; GoSched 5; Stack 5 77; Frequency 1000000000 0"
	gotap text --links "$MADE"
	matches ' GoCreate g=1 start_pc=4096 link=3$'
}

@test "--links is for old traces, and names what is wrong" {
	gotap text --links "$CHECKOUT/tests/vectors/ok_goswitch.trace"
	[ "$status" -eq 1 ]
	contains "unsupported trace file version go 1.2"
	made 11 <<<"Batch 0 1; GoStart 1 1; Frequency 5"
	gotap text --links "$MADE"
	[ "$status" -eq 1 ]
	contains "no consistent ordering of events possible"
}
