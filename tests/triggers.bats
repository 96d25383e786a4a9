#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record --flight --on: each trigger, with a program that brings about its fact and prints when that was
# (tests/prog/facts.go). tests/lib/trigger_facts.py replays the events of a snapshot without gotap's triggers.

load lib/common
load lib/record
load lib/cgroup

setup() {
	require_root
	require_tool jq
	require_tool python3
	cd "$BATS_TEST_TMPDIR"
	mkdir snaps
	FOLDER=
}

teardown() {
	stop_targets
	[ -z "$FOLDER" ] || rmdir "$FOLDER" 2>/dev/null || true
}

# triggered 'TRIGGER...' COMMAND...: makes a flight recording of COMMAND with these triggers, one a line. The report is
# in $REPORT, the output of COMMAND in "said", the snapshots in snaps.
triggered() {
	local on args=()
	while read -r on; do args+=(--on "$on"); done <<<"$1"
	shift
	REPORT=$BATS_TEST_TMPDIR/report
	status=0
	GODEBUG=asyncpreemptoff=1 "$GOTAP" record --json --budget none --flight 5s --cooldown 0 --keep 0 -o 'snaps/%n.trace' \
		"${args[@]}" "$@" >said 2>report.all 3>&- || status=$?
	tail -n 1 report.all >"$REPORT"
}

# judged: each snapshot has its fact; writes the facts to the file "facts".
judged() { python3 "$BATS_TEST_DIRNAME/lib/trigger_facts.py" "$GOTAP" snaps/*.trace >facts || fail "a snapshot without its fact"; }

# said_is_found KIND TRIGGER: each fact of that kind that the program prints has a snapshot by the trigger, with a time
# within it and its goroutine. Facts of p99 and hang may have a later time: their limit is passed at the end, or after
# it. That of p99 may have an earlier one, too: the trigger looks at a second, and fires once for as long as the limit is
# passed, which on a busy machine it may be before the fact.
said_is_found() {
	awk -v kind="$1" -v on="$2" '
		FNR == NR { if (index($0, on " ") == 1) { n++; t[n] = $(NF - 1); g[n] = $NF }; next }
		$1 == kind {
			any = 1; found = 0
			for (i = 1; i <= n; i++)
				found += t[i] >= $3 - (kind == "p99" ? 1e9 : 0) && t[i] <= $4 + (kind == "p99" || kind == "hang" ? 3e9 : 1e6) && ($2 == 0 || $2 == g[i])
			if (!found) { print "no snapshot of " on ": " $0; bad = 1 }
		}
		END { exit bad || !any }' facts said
}

# found_soon: gotap found each fact within 3 s, also on a busy machine.
found_soon() { jq -e '[.flight.triggers[] | select(.on != "exit" and .on != "crash") | .slowest_s] | max < 3' "$REPORT"; }

every_trigger() {
	build_prog "$1" facts
	triggered 'blocked>40ms:chan*:main.waitForIt
runnable>40ms
syscall>40ms
stw>30ms
gc
goroutines>100
heap>30M
region:slow*>40ms
task:slow task>40ms
log:timed out$
func:main.longLived>40ms
sched-p99>30ms
hang>400ms
exit
crash
blocked>40ms:network
blocked>40ms::main.nothing
runnable>1h
syscall>1h
stw>1h
goroutines>10000
heap>30G
region:fast*>1us
task:fast task>1us
log:time in
func:main.waitFor>1us
sched-p99>1h
hang>1h' -- "$PROG" -pause 100ms blocked:120ms forever:120ms runnable syscall stw:300ms gc p99 goroutines heap \
		region task log func busy:300ms hang:900ms
	[ "$status" -eq 0 ] || fail "$(cat report.all)"
	judged
	said_is_found blocked 'blocked>40ms:chan*:main.waitForIt'
	said_is_found forever 'blocked>40ms:chan*:main.waitForIt'
	said_is_found runnable 'runnable>40ms'
	said_is_found syscall 'syscall>40ms'
	said_is_found stw 'stw>30ms'
	said_is_found gc gc
	said_is_found goroutines 'goroutines>100'
	said_is_found heap 'heap>30M'
	said_is_found region 'region:slow*>40ms'
	said_is_found task 'task:slow task>40ms'
	said_is_found log 'log:timed out$'
	said_is_found func 'func:main.longLived>40ms'
	said_is_found p99 'sched-p99>30ms'
	said_is_found hang 'hang>400ms'
	[ "$(grep -c '^exit ' facts)" -eq 1 ]
	! grep '^crash \|:network\|nothing\|>1h\|>10000\|>30G\|>1us\|time in' facts || fail "a trigger fired without its fact"
	found_soon
}

@test "each trigger has its fact in its snapshot, others do not fire, with Go $REFERENCE_GO" { every_trigger "$REFERENCE_GO"; }

@test "each trigger has its fact in its snapshot, others do not fire, with Go 1.19" { every_trigger 1.19; }

# bats test_tags=soak
@test "each of many facts has its snapshot" {
	local rounds
	soak_only
	rounds=$((SOAK * 2))
	build_prog "$REFERENCE_GO" facts
	triggered 'blocked>40ms:chan*:main.waitForIt
syscall>40ms
region:slow*>40ms
log:timed out$' -- "$PROG" -pause 60ms -rounds "$rounds" blocked syscall region log
	judged
	said_is_found blocked 'blocked>40ms:chan*:main.waitForIt'
	said_is_found syscall 'syscall>40ms'
	said_is_found region 'region:slow*>40ms'
	said_is_found log 'log:timed out$'
	[ "$(wc -l <facts)" -ge $((4 * rounds)) ]
	found_soon
}

@test "a thread that a CPU quota keeps off its CPU" {
	quota_group
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	wait_for 60 quota_is_used_up
	triggered $'throttled>40ms\nthrottled>1h' -d 300ms -p "$TARGET"
	kill -KILL "$TARGET"
	wait_target
	judged
	grep -q '^throttled>40ms ' facts
	"$GOTAP" report snaps/1.trace | grep -A 2 '^TRIGGER OF THE SNAPSHOT' | grep 'throttled>40ms: a CPU quota kept thread [0-9]* off its CPU'
	! grep -v '^throttled>40ms ' facts || fail "a trigger fired without its fact"
}

# crashes HOW TEXT: there is one snapshot, which ends with the program, and whose JSON has TEXT.
crashes() {
	rm -f snaps/*
	triggered crash -- "$PROG" -pause "${3:-0}" "crash:$1"
	judged
	[ "$(ls snaps)" = $'1.trace\n1.trace.json' ] || fail "not one snapshot of $1: $(ls snaps) $(cat report.all)"
	[[ $(jq -r .trigger.what snaps/1.trace.json) == *"the program has ended $2" ]]
	succeeds "$GOTAP" check snaps/1.trace
}

@test "a program that dies: its last moments are written after it is gone" {
	build_prog "$REFERENCE_GO" facts
	crashes panic "with exit status 2" 200ms
	crashes nil "with exit status 2"
	crashes exit "with exit status 3"
	crashes signal "by signal 9 (Killed)"
	rm snaps/*
	triggered crash -- "$PROG" -pause 20ms gc
	[ "$status" -eq 0 ]
	[ -z "$(ls snaps)" ]
}

# dies HOW [OPTION...]: the snapshot has the goroutine, stack and message that the runtime prints when the program dies.
# Without gotap the program ends with the same status and prints the same.
dies() {
	local how=$1 expected=0
	shift
	rm -f snaps/*
	triggered crash "$@" -- "$PROG" "$how"
	"$PROG" "$how" >/dev/null 2>alone || expected=$?
	[ "$status" -eq "$expected" ] || fail "status $status of $how, without gotap $expected"
	succeeds python3 "$BATS_TEST_DIRNAME/lib/same_death.py" snaps/1.trace.json report.all alone
}

# nobody HOW TEXT: the snapshot has TEXT, and names no goroutine.
nobody() {
	rm -f snaps/*
	triggered crash -- "$PROG" "$1"
	[ "$(jq -r '.trigger | "\(.goroutine) \(.stack) \(.what)"' snaps/1.trace.json)" = "null null $2" ] ||
		fail "$(jq .trigger snaps/1.trace.json)"
}

@test "who brought the program down: a panic of a signal and one of the runtime's own, with each Go release" {
	local version
	for version in "${ALL_GO[@]}"; do
		build_prog "$version" dies
		dies nil
	done
	for version in 1.15 1.19 1.26; do
		build_prog "$version" dies
		dies unlock
		dies trap
	done
}

@test "who brought the program down: every way, and nobody where that is so" {
	build_prog "$REFERENCE_GO" dies
	for how in panic again overflow trap; do dies "$how"; done
	dies unlock --attach inline
	"$GOTAP" text --events snaps/1.trace | grep -q 'gotap.*fatal error: sync: unlock of unlocked mutex' || fail "no log event"
	nobody quit 'signal 3 (Quit); the program has ended with exit status 2'
	nobody deadlock 'fatal error: all goroutines are asleep - deadlock!; the program has ended with exit status 2'
	nobody exit2 'the program has ended with exit status 2'
	nobody recovered 'the program has ended with exit status 3'
	nobody kill 'the program has ended by signal 9 (Killed)'
	nobody term 'the program has ended by signal 15 (Terminated)'
	build_prog "$REFERENCE_GO" dies -buildmode=pie -ldflags='-s -w'
	dies nil
}

# die_when_recorded: sends SIGABRT, for which the runtime ends the program with status 2, as for a panic.
die_when_recorded() {
	wait_for 60 "$GOTAP" snap -p "$TARGET" -m here >/dev/null 2>&1
	kill -ABRT "$TARGET"
}

@test "one that was recorded by its process id dies: how, Linux tells from 6.15 on" {
	local what
	build_prog "$REFERENCE_GO" facts
	start_target "$PROG" -pause 60s crash:panic
	die_when_recorded &
	triggered crash -p "$TARGET"
	wait $!
	[ "$(jq -r .trigger.what snaps/1.trace.json)" = here ]
	rm snaps/1.*
	mv snaps/2.trace snaps/1.trace
	mv snaps/2.trace.json snaps/1.trace.json
	judged
	what=$(jq -r .trigger.what snaps/1.trace.json)
	[ "$what" = "signal 6 (Aborted); the program has ended with exit status 2" ] || [ "$what" = "signal 6 (Aborted); the program has ended" ]
}

@test "a trigger that is none is one line that shows the grammar" {
	local on
	for on in '' gcs 'runnable>' 'blocked>1s:nothing' 'heap>much' 'log:(' 'region:>1s' $'gc\n'; do
		gotap record -p 1 --flight 5s --on "$on"
		[ "$status" -eq 2 ] && [ "$(wc -l <<<"$output")" -eq 1 ] && [[ $output == "gotap record: --on: '"* ]] || fail "$output"
	done
	for on in signal socket exit crash; do
		gotap assemble --on "$on" kept.spool -o out.trace
		[ "$status" -eq 2 ] && [ "$(wc -l <<<"$output")" -eq 1 ] && [[ $output == *"--on: '$on': records in a file cannot show that"* ]] ||
			fail "$output"
	done
	gotap record -p 1 --on gc
	[ "$status" -eq 2 ]
	[[ $output == *"are for --flight TIME"* ]]
}

@test "the report of a snapshot begins with its trigger, which may be a unit of work" {
	local g
	build_prog "$REFERENCE_GO" facts
	triggered 'blocked>40ms:chan*:main.waitForIt' -- "$PROG" -pause 100ms blocked:120ms
	g=$(jq .trigger.goroutine snaps/1.trace.json)
	jq -e ".window.after_s == 1" snaps/1.trace.json
	succeeds "$GOTAP" report snaps/1.trace
	run grep -A 1 "^TRIGGER OF THE SNAPSHOT, and the composition of its time$" <<<"$output"
	[[ ${lines[1]} = "  Goroutine $g main."*" was blocked for "*" (chan receive)"* ]]
	"$GOTAP" report --json snaps/1.trace | jq -e '.answer[0] | .unit_kind == "trigger" and .slowest.goroutine == '"$g"
	rm snaps/*
	triggered 'unit:main.waitForIt>40ms' -- "$PROG" -pause 100ms blocked:120ms
	[ "$(jq -r .trigger.what snaps/1.trace.json | cut -d ' ' -f 3-5)" = "works in main.waitForIt" ]
}

# begins_with_trigger NUMBER: the report of that snapshot begins with its trigger. If the trigger is about a time of a
# goroutine, the composition is of that goroutine, and of at least the limit.
begins_with_trigger() {
	local trace=snaps/$1.trace name g
	name=$(jq -r .trigger.name "$trace.json") g=$(jq .trigger.goroutine "$trace.json")
	"$GOTAP" report "$trace" >shown
	"$GOTAP" report --json "$trace" >shown.json
	grep -A 2 '^TRIGGER OF THE SNAPSHOT' shown | grep -F "  $name: " || fail "no trigger in the report of $1" || return
	case $name in
	gc | heap* | sched-p99*) [ "$(jq -r '.answer[0].unit_kind' shown.json)" != trigger ] ;;
	*)
		jq -e --argjson g "$g" '.answer[0] | .unit_kind == "trigger" and .slowest.goroutine == $g and .sum_ns >= 3e7 and .unattributed < 0.1
			and (.causes | length) > 0 and .slowest.to_ns - .slowest.from_ns == .sum_ns' shown.json
		;;
	esac
}

@test "the report of a snapshot of each trigger begins with it, whatever other triggers its window has" {
	local snapshot kinds
	build_prog "$REFERENCE_GO" facts
	triggered 'runnable>40ms
syscall>40ms
stw>30ms
gc
heap>30M
region:slow*>40ms
task:slow task>40ms
func:main.longLived>40ms
unit:main.waitForIt>40ms
sched-p99>30ms' -- "$PROG" -pause 100ms blocked:120ms runnable syscall stw:300ms gc p99 heap region task func
	[ "$status" -eq 0 ]
	for snapshot in snaps/*.trace; do
		begins_with_trigger "$(basename "$snapshot" .trace)" || return
		kinds+=" $(jq -r .trigger.name "$snapshot.json" | sed 's/[:>].*//')"
	done
	[ "$(tr ' ' '\n' <<<"$kinds" | sort -u | grep -c .)" -eq 10 ] || fail "snapshots of$kinds"
	# Without the JSON the last note of the window counts.
	snapshot=$(ls -t snaps/*.trace | head -n 1)
	mv "$snapshot" alone.trace
	"$GOTAP" report alone.trace | grep -q '^TRIGGER OF THE SNAPSHOT'
}

@test "docs/triggers.md has all of them" {
	diff <("$GOTAP" record --on help | awk '{ print $1 }' | sed 's/:NAME.*//; s/[>:[].*//') \
		<(sed -n 's/^| `\([a-z0-9]*[a-z0-9-]*\).*/\1/p' "$BATS_TEST_DIRNAME/../docs/triggers.md" | grep -v '^--on')
}
