#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record --flight and gotap snap: the contents of snapshots, and that the recording goes on when one cannot be
# written.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	cd "$BATS_TEST_TMPDIR"
	mkdir -p snaps
}

teardown() {
	stop_targets
	[ ! -e full ] || umount full 2>/dev/null || true
	close_place
}

# a_server: sets $PROG, and $TARGET to a small server under load.
a_server() {
	build_prog "$REFERENCE_GO" netload
	start_target "$PROG" -pause 5ms
}

# ask ARGUMENT...: runs gotap snap, at the socket $SOCKET if that is set.
ask() {
	if [ -n "${SOCKET:-}" ]; then "$GOTAP" snap --socket "$SOCKET" "$@"; else "$GOTAP" snap -p "$TARGET" "$@"; fi
}

# start_flight ARGUMENT...: records the target as $RECORDER until stop_record, and takes the first snapshot.
start_flight() {
	REPORT=$BATS_TEST_TMPDIR/report
	"$GOTAP" record --json --budget none -p "$TARGET" --flight 5s,16M -o 'snaps/%n.trace' "$@" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 first_snapshot
}

first_snapshot() { ask -m first >first 2>&1 || { ! target_runs "$RECORDER" && fail "$(cat "$REPORT")"; }; }

# is_numbered N...: the folder has the snapshots with these numbers, their JSON, and nothing else.
is_numbered() {
	diff <(printf '%s.trace\n%s.trace.json\n' $(printf '%s %s ' $(for n; do echo "$n" "$n"; done)) | sort) <(ls -A snaps | sort)
}

# has_fact FILE: the fact in the snapshot's JSON is within the trace, which has the note about it.
has_fact() {
	jq -e '.trigger.at_s >= 0 and .trigger.at_s <= .window.duration_s + 1e-6 and .window.generations >= 1' "$1.json" ||
		fail "$1 has not got its fact: $(cat "$1.json")" || return
	[ "$(stat -c %s "$1")" -eq "$(jq .bytes "$1.json")" ] || return
	"$GOTAP" text --events "$1" | grep -F "snapshot: $(jq -r .trigger.name "$1.json")" >/dev/null || fail "no note in $1"
}

@test "a signal, gotap snap, two at once: each has its fact, says why, and is a trace for every reader" {
	local f
	a_server
	start_flight --after 0
	kill -USR1 "$RECORDER"
	wait_for 20 test -e snaps/2.trace
	"$GOTAP" snap -p "$TARGET" -m $'the "door"\e[2J' >one 3>&- & TARGETS+=" $!"
	succeeds "$GOTAP" snap -p "$TARGET" --json -o copy
	matches '"path": "'"$PWD"'/snaps/[34].trace", "bytes": [0-9]+, "duration_s": [0-9.]+'
	cmp copy "$(jq -r .path <<<"$output")"
	wait_for 20 test -e snaps/3.trace -a -e snaps/4.trace
	succeeds bash -c "'$GOTAP' snap -p $TARGET -o - | '$GOTAP' check -"
	open_place
	run_logged setpriv --reuid 65534 --clear-groups "$PLACE/gotap" snap -p "$TARGET"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	stop_record
	[ "$status" -eq 0 ]
	jq -e '.flight | .written == 5 and .failed == 0 and .memory > 0' <(tail -n 1 "$REPORT")
	is_numbered 1 2 3 4 5
	succeeds "$GOTAP" check snaps/*.trace
	views_ok snaps/*.trace
	readable_from 1.25 snaps/5.trace
	for f in snaps/*.trace; do has_fact "$f"; done
	jq -e '.trigger.name == "signal"' snaps/2.trace.json
	jq -se --argjson pid "$TARGET" 'map(select(.trigger.what == "the \"door\"\u001b[2J")) | length == 1 and
		(.[0] | .process.pid == $pid and .process.go[0:4] == "go1." and .losses.lost == 0 and
		(.window | .before_s == 5 and .after_s == 0 and
			.short == if .duration_s >= 5 then null else "the recording had just begun" end))' \
		snaps/[34].trace.json
	[ "$(cat snaps/*.json | tr -dc '\033' | wc -c)" -eq 0 ]
}

# bats test_tags=soak
@test "snapshots at random moments are valid; memory is flat" {
	local seconds=${SOAK:-3} end n=0 first last asked=()
	soak_seed
	a_server
	start_flight --keep 0 --cooldown 0
	end=$((SECONDS + seconds))
	while [ "$SECONDS" -lt "$end" ]; do
		if ((RANDOM % 3)); then "$GOTAP" snap -p "$TARGET" >>named & asked+=("$!"); else kill -USR1 "$RECORDER"; fi
		sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
		n=$((n + 1))
		awk '$1 == "VmRSS:" { print $2 }' "/proc/$RECORDER/status" >>resident
		# A long run would fill the disk.
		if ((n % 50 == 0)); then judge_random; fi
	done 3>&-
	wait "${asked[@]}" || true
	stop_record
	[ "$status" -eq 0 ]
	judge_random
	first=$(sed -n "$(($(wc -l <resident) / 3))p" resident) last=$(tail -n 1 resident)
	explain "$(reported written) snapshots, resident after a third $first KiB, at the end $last KiB, history at most $(reported memory_most) bytes"
	[ "$(reported written)" -ge $((n / 3)) ]
	[ "$(reported failed)" -eq 0 ]
	[ "$(reported lost)" -eq 0 ]
	[ "$last" -le $((first + first / 5 + 4096)) ]
	[ "$(reported memory_most)" -le $((32 << 20)) ]
}

# judge_random: checks all snapshots that are there and deletes them. One that is being written has another name.
judge_random() {
	local all
	mapfile -t all < <(find snaps -name '*.trace' | sort)
	[ "${#all[@]}" -gt 0 ] || return 0
	succeeds "$GOTAP" check "${all[@]}" || return
	views_ok "${all[@]}" || return
	local f
	for f in "${all[@]}"; do
		jq -e '.trigger.at_s <= .window.duration_s + 1e-6' "$f.json" >/dev/null || fail "$(cat "$f.json")" || return
	done
	rm "${all[@]}" "${all[@]/%/.json}"
}

@test "of a program in which nothing happens" {
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG"
	start_flight --flight 1s --before 100ms
	sleep 2
	succeeds "$GOTAP" snap -p "$TARGET"
	succeeds "$GOTAP" snap -p "$TARGET"
	stop_record
	is_numbered 1 2 3
	for f in snaps/*.trace; do has_fact "$f"; done
	succeeds "$GOTAP" check snaps/*.trace
	views_ok snaps/*.trace
	# The last one begins with a later generation, which has GOMAXPROCS, too.
	jq -e '.window.short == null and .losses.lost == 0' snaps/3.trace.json
	succeeds "$GOTAP" text --events snaps/3.trace
	matches ' ProcsChange +/sched/gomaxprocs:threads [0-9]'
}

@test "--after: what comes next is there, too, unless the recording ends" {
	a_server
	start_flight --after 3s --before 500ms
	jq -e '.window | .duration_s >= 3 and .after_s == 3' snaps/1.trace.json
	jq -e '.window.duration_s - .trigger.at_s >= 2.95' snaps/1.trace.json
	# It has the signal: the end comes at once, long before the 3 s are over.
	handles USR1
	stop_record
	is_numbered 1 2
	jq -e '.window.short == "the recording ended"' snaps/2.trace.json
	views_ok snaps/*.trace
}

@test "--keep, also of earlier recordings; nobody else's file is touched" {
	a_server
	touch snaps/0.trace snaps/9.json snaps/other.trace snaps/7x.trace
	echo unfinished >snaps/3.trace.flight.partial
	# kill -9 between the names of the files beside the trace and its own
	touch snaps/3.trace.heap.pb.gz snaps/3.trace.json snaps/8.trace.json snaps/8.trace.heap.pb.gz
	touch -d '1 hour ago' snaps/3.trace.flight.partial
	start_flight --keep 2
	for i in 2 3 4; do succeeds "$GOTAP" snap -p "$TARGET"; done
	stop_record
	rm snaps/0.trace snaps/9.json snaps/other.trace snaps/7x.trace snaps/8.trace.json snaps/8.trace.heap.pb.gz
	is_numbered 3 4
	start_flight --keep 2
	stop_record
	is_numbered 1 4
	start_flight --keep 0 --keep-bytes 1
	succeeds "$GOTAP" snap -p "$TARGET"
	stop_record
	is_numbered 3
}

@test "a full disk, a folder that vanished: said once, and the recording goes on" {
	mkdir full
	mount -t tmpfs -o size=1m tmpfs full || skip "cannot mount a tmpfs here"
	a_server
	start_flight -o 'full/%n.trace'
	dd if=/dev/zero of=full/other bs=4k 2>/dev/null || true
	for i in 1 2 3; do
		gotap snap -p "$TARGET"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		contains 'No space left on device'
	done
	[ "$(ls -A full | paste -sd ' ')" = '1.trace 1.trace.json other' ]
	[ "$(grep -c 'No space left on device; the recording goes on' "$REPORT")" -eq 1 ]
	mount -o remount,size=64m full
	succeeds "$GOTAP" snap -p "$TARGET"
	grep -qx 'gotap: snapshots can be written again' "$REPORT"
	umount full
	rmdir full
	gotap snap -p "$TARGET"
	[ "$status" -eq 1 ]
	contains 'No such file or directory'
	gotap snap -p "$TARGET"
	[ "$(grep -c 'No such file or directory; the recording goes on' "$REPORT")" -eq 1 ]
	mkdir full
	succeeds "$GOTAP" snap -p "$TARGET"
	succeeds "$GOTAP" check full/*.trace
	stop_record
	[ "$status" -eq 0 ]
	[ "$(reported lost)" -eq 0 ]
}

@test "--exec: the file is one argument, a slow command delays nobody" {
	mkdir "a 'b"
	a_server
	start_flight -o "a 'b/%n.\$x.trace" --exec 'until [ -e gate ]; do sleep 0.05; done; ls >>listed -- '
	for i in 2 3; do succeeds "$GOTAP" snap -p "$TARGET"; done
	[ ! -e listed ]
	touch gate
	wait_for 60 eval '[ "$(wc -l <listed)" -eq 3 ]'
	stop_record
	[ "$status" -eq 0 ]
	[ "$(reported exec_missed)" -eq 0 ]
	[ "$(sed "s,^$PWD/,," listed)" = "$(printf "a 'b/%s.\$x.trace\n" 1 2 3)" ] || fail "$(cat listed)"
	start_flight --exec 'false; exit 3;'
	succeeds "$GOTAP" snap -p "$TARGET"
	stop_record
	[ "$(grep -c 'failed with status 3' "$REPORT")" -eq 1 ]
}

@test "in another user's folder, and in one behind it: the file, gotap snap -o, and the socket" {
	local SOCKET=$PWD/theirs/socket
	mkdir -p theirs/own
	chmod 700 theirs
	chown 65534:65534 theirs
	a_server
	start_flight -o 'theirs/%n.trace' --socket "$SOCKET"
	succeeds "$GOTAP" snap --socket "$SOCKET" -o copy
	cmp copy theirs/2.trace
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	[ -S "$SOCKET" ]
	start_flight -o 'theirs/own/%n.trace' --socket "$SOCKET"
	succeeds "$GOTAP" snap --socket "$SOCKET" -o copy
	cmp copy theirs/own/2.trace
	stop_record
	[ "$status" -eq 0 ]
	[ ! -e "$SOCKET" ]
}

@test "kill -9 at any moment: what has its name is whole" {
	local i SOCKET=$PWD/socket
	a_server
	for i in 1 2 3; do
		start_flight -o "snaps/$i.%n.trace" --socket "$SOCKET"
		for _ in 1 2 3 4; do ask >/dev/null 2>&1 3>&- & TARGETS+=" $!"; done
		sleep "0.0$((RANDOM % 10))"
		kill -KILL "$RECORDER"
		wait "$RECORDER" || true
	done
	[ "$(stat -c %a "$SOCKET")" = 600 ]	# a killed gotap has left it; the next one takes its name
	start_flight --socket "$SOCKET"
	gotap record -p "$TARGET" --flight 1s --socket "$SOCKET" -o 'snaps/%n.trace' -d 1s
	[ "$status" -eq 1 ]
	contains 'another program listens'
	stop_record
	[ ! -e "$SOCKET" ]
	for f in snaps/*.json; do jq -e .trigger "$f" >/dev/null; done
	for f in snaps/*.trace; do [ -s "$f.json" ] || fail "$f has no JSON"; done
	succeeds "$GOTAP" check snaps/*.trace
	views_ok snaps/*.trace
	target_runs
}

@test "wrong usage is one line" {
	local line
	build_prog "$REFERENCE_GO" netload
	while read -r line; do
		eval "gotap record $line -- '$PROG' -dur 1s"
		[ "$status" -ne 0 ] && [ "${#lines[@]}" -eq 1 ] || fail "$line"
	done <<-'END'
		--flight x
		--flight 5s,1
		--flight 5s,1G,
		--keep 3
		--exec ls
		--flight 5s --after -1s
		--flight 5s --keep x
		--flight 5s --keep-bytes 1X
		--flight 5s --spool x
		--flight 5s --report
		--flight 5s --perfetto x
		--flight 5s --format go1.19
		--flight 5s -o -
		--flight 5s -o x.trace
		--flight 5s -o '%n/x.trace'
		--flight 5s -o '%q%n.trace'
		--flight 5s -o /nowhere/%n
	END
	[ -z "$(ls -A snaps)" ]
	gotap record -p 1 --flight 5s -o x.trace
	[ "$status" -eq 2 ]
	gotap snap
	[ "$status" -eq 2 ]
	gotap snap -p 1
	[ "$status" -eq 1 ]
	contains 'no flight recording'
	gotap snap --socket /nowhere
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	succeeds "$GOTAP" snap --help
}
