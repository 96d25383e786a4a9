#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A flight recording of a program that runs out of memory: the last heap profile beside the snapshot, and who says so.
# The programs have a memory cgroup of their own with a limit, and grow slowly enough for gotap on a busy machine.

load lib/common
load lib/record
load lib/cgroup
load lib/container
load lib/kernel

LIMIT=$((64 << 20))

setup() {
	require_root
	require_tool jq
	cd "$BATS_TEST_TMPDIR"
	mkdir snaps
}

teardown() {
	stop_targets
	stop_containers
	[ -z "${FOLDER:-}" ] || wait_for 20 rmdir "$FOLDER" 2>/dev/null
}

# limited_group: FOLDER, a memory cgroup with the limit, without swap.
limited_group() {
	memory_group
	echo "$LIMIT" >"$FOLDER/$LIMIT_FILE"
	echo "$LIMIT" >"$FOLDER/memory.memsw.limit_in_bytes" 2>/dev/null || true
	echo 0 >"$FOLDER/memory.swap.max" 2>/dev/null || true
}

# in_group COMMAND...: becomes COMMAND in the cgroup.
in_group() { printf '%s\n' sh -c 'echo $$ >"$0" && exec "$@"' "$FOLDER/cgroup.procs" "$@"; }

# start_hungry OPTION...: in the cgroup; it waits for SIGUSR1 before it grows.
start_hungry() {
	local -a command
	[ -n "${FOLDER:-}" ] || limited_group
	build_prog "$REFERENCE_GO" hungry
	mapfile -t command < <(in_group "$PROG" -wait -each 20ms "$@")
	start_target "${command[@]}"
}

# record_it OPTION...: $TARGET, until it ends; it grows when the recording has begun.
record_it() {
	REPORT=$BATS_TEST_TMPDIR/report
	"$GOTAP" record -p "$TARGET" --flight 10s,16M -o 'snaps/%n.trace' --json "$@" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 "$GOTAP" snap -p "$TARGET" -o first.trace >/dev/null 2>&1
}

grow() { kill -USR1 "${1:-$TARGET}"; }
record_ends() { wait "$RECORDER" || fail "$(cat "$REPORT")"; }

# killed_snapshot: sets $SNAP to the one with the trigger oom, of which there is one.
killed_snapshot() {
	SNAP=$(jq -r 'select(.trigger.name == "oom") | input_filename' snaps/*.json)
	SNAP=${SNAP%.json}
	[ -n "$SNAP" ] && [ -f "$SNAP" ] || fail "no snapshot of the trigger oom: $(ls snaps) $(cat "${REPORT:-/dev/null}")"
}

# memory_of JQ [OPTION...]: of its JSON.
memory_of() { jq -r "$@" "$SNAP.json"; }

flat() { "$GO" tool pprof -top -nodecount=100 "$@" 2>/dev/null; }
# cum FUNCTION FILE: bytes of it and what it called.
cum() { flat -unit=B "$2" | awk -v f="$1" '$NF == f { sub("B", "", $4); print $4 }'; }

# is_of_leak SNAPSHOT: the profile and the difference blame main.leak.
is_of_leak() {
	local f
	require_go "$REFERENCE_GO"
	for f in "$1.heap.pb.gz" "$1.heap-diff.pb.gz"; do
		flat "$f" | grep -qx 'Type: inuse_space'
		[ "$(cum main.leak "$f")" -gt "$(cum main.keep "$f")" ] || fail "$f: $(flat "$f")"
	done
	# of the whole: at least half of the limit, as it was read above three quarters of that; samples are random
	[ "$(cum main.main "$1.heap.pb.gz")" -gt $((LIMIT / 3)) ]
	[ "$(cum main.main "$1.heap-diff.pb.gz")" -lt "$(cum main.main "$1.heap.pb.gz")" ]
}

@test "killed for want of memory: the snapshot has the last heap profile, its growth, limit and use, and the report says who" {
	start_hungry
	record_it
	grow
	record_ends
	killed_snapshot
	is_of_leak "$SNAP"
	memory_of -e --arg cgroup "/${FOLDER##*/}" --argjson limit "$LIMIT" '.memory |
		.cgroup == $cgroup and .limit_of == "cgroup" and .limit_bytes == $limit and .used_bytes > $limit / 2 and
		.anonymous_bytes > $limit / 2 and .oom_kills == 1 and (.sigkill_known | type) == "boolean" and .heap.rate == 524288 and .heap.refused == 0 and (.heap.cut | not) and .reads >= 2 and
		(.heap.stacks[0].stack | length >= 3 and (.[0] | startswith("main.touched ")) and (.[1] | startswith("main.leak ")))'
	[ "$(memory_of .memory.heap.file)" = "${SNAP##*/}.heap.pb.gz" ]
	[ "$(memory_of .memory.heap.diff_file)" = "${SNAP##*/}.heap-diff.pb.gz" ]
	if [ -d /sys/kernel/tracing/events/oom/mark_victim ] || [ -d /sys/kernel/debug/tracing/events/oom/mark_victim ]; then
		[ "$(memory_of .memory.known_by)" = oom:mark_victim ]
	fi
	jq -e '.exit == "(signal 9, Killed)"' "$REPORT"
	succeeds "$GOTAP" check "$SNAP"
	"$GOTAP" text --events "$SNAP" | grep -F 'snapshot: oom: out of memory, of 67.1 MB in the cgroup: main.touched < main.leak' >/dev/null
	"$GOTAP" report --json "$SNAP" >report.json
	jq -e '.findings[0] | .kind == "out of memory" and .function == "main.touched" and (.file | endswith("hungry.go")) and
		.line > 0 and .share == 0 and (.text | test("main.leak"))' report.json
	"$GOTAP" report "$SNAP" | grep -A1 '^ 1\..* Out of memory: the kernel'
	"$GOTAP" schema snapshot >schema.json
	if python3 -c 'import jsonschema' 2>/dev/null; then
		python3 "$CHECKOUT/tests/lib/schema.py" check schema.json seen "$SNAP.json"
	fi
}

@test "launched, with --on crash: one snapshot, and the status of the program" {
	local -a command
	limited_group
	build_prog "$REFERENCE_GO" hungry
	mapfile -t command < <(in_group "$PROG" -each 20ms)
	run_logged "$GOTAP" record --flight 10s,16M --on crash --on exit -o 'snaps/%n.trace' -- "${command[@]}"
	[ "$status" -eq 137 ]
	[ "$(ls snaps/*.json | wc -l)" -eq 1 ]
	killed_snapshot
	is_of_leak "$SNAP"
}

@test "SIGKILL alone, and another victim of the same cgroup, are not said to be for want of memory" {
	local other
	start_hungry
	other=$TARGET
	start_hungry
	record_it --on crash
	grow "$other"
	wait_for 60 not target_runs "$other"
	grep -qE 'oom_kill [1-9]' "$FOLDER"/memory.{oom_control,events} 2>/dev/null
	target_runs || skip "the kernel chose the other program"
	# the count is older than two looks of gotap then
	sleep 1
	kill -KILL "$TARGET"
	record_ends
	[ "$(jq -r .trigger.name snaps/*.json | sort | tr '\n' ' ')" = "crash socket " ]

	rm snaps/*
	start_hungry
	record_it --on crash
	kill -KILL "$TARGET"
	record_ends
	[ "$(jq -r .trigger.name snaps/*.json | sort | tr '\n' ' ')" = "crash socket " ]
	[ -z "$(ls snaps | grep heap)" ]
}

not() { ! "$@"; }

@test "profiling is off: the snapshot is there, and says why it has no profile" {
	start_hungry -off
	record_it
	grow
	record_ends
	killed_snapshot
	memory_of -e '.memory | .oom_kills == 1 and (.heap | not) and (.no_heap | test("profiling off"))'
	[ -z "$(ls snaps | grep heap)" ]
	"$GOTAP" report "$SNAP" | grep -A3 'Out of memory' | grep -F 'There is no heap profile' >/dev/null
}

@test "the runtime itself gets no memory: its own words" {
	build_prog "$REFERENCE_GO" hungry
	start_target "$PROG" -wait -fatal -step 512 -each 5ms
	record_it --on crash
	grow
	record_ends
	killed_snapshot
	memory_of -e '.memory | .known_by == "runtime" and (.fatal | test("out of memory")) and .heap.stacks[0].share > 0.5'
}

@test "a panic with such words is the program's own" {
	build_prog "$REFERENCE_GO" hungry
	start_target "$PROG" -wait -panic
	record_it --on crash
	grow
	record_ends
	[ "$(jq -r .trigger.name snaps/*.json | sort | tr '\n' ' ')" = "crash socket " ]
	jq -e 'select(.trigger.name == "crash") | .trigger.what | test("pq: out of memory")' snaps/*.json
}

@test "in one cgroup with gotap: a reading does not take the last of the memory" {
	LIMIT=$((192 << 20)) start_hungry
	REPORT=$BATS_TEST_TMPDIR/report
	sh -c 'echo $$ >"$0" && exec "$@"' "$FOLDER/cgroup.procs" \
		"$GOTAP" record -p "$TARGET" --flight 10s,16M -o 'snaps/%n.trace' --json 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 "$GOTAP" snap -p "$TARGET" -o first.trace >/dev/null 2>&1
	grow
	record_ends
	killed_snapshot
	memory_of -e '.memory | .reads >= 1 and .reads_without_room >= 1'
}

@test "two programs at once: each has its own" {
	local a b
	start_hungry
	a=$TARGET
	[ "$(ls -d "$FOLDER")" = "$FOLDER" ]
	b=$FOLDER
	FOLDER=
	BATS_TEST_NUMBER=$BATS_TEST_NUMBER-2 limited_group
	OTHERS=$b
	start_hungry
	b=$TARGET
	"$GOTAP" record -p "$a" -p "$b" --flight 10s,16M -o 'snaps/%p-%n.trace' 2>report 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 "$GOTAP" snap -p "$a" -o first.trace >/dev/null 2>&1
	wait_for 60 "$GOTAP" snap -p "$b" -o first.trace >/dev/null 2>&1
	grow "$a"
	grow "$b"
	wait "$RECORDER"
	for a in $a $b; do
		SNAP=$(jq -r 'select(.trigger.name == "oom") | input_filename' snaps/$a-*.json)
		is_of_leak "${SNAP%.json}"
	done
	wait_for 20 rmdir "$OTHERS"
}

@test "in a container of runc with a limit, recorded from the host" {
	container_setup
	build_prog "$REFERENCE_GO" hungry
	image "$PROG"
	SPEC_EDIT='c["linux"].setdefault("resources", {})["memory"] = {"limit": 64 << 20, "swap": 64 << 20}' \
		run_container "gotap-$$-oom" /bin/hungry -wait -each 20ms || skip "no container with a limit of memory here"
	record_it
	grow
	record_ends
	killed_snapshot
	is_of_leak "$SNAP"
	memory_of -e '.memory.limit_bytes == (64 * 1048576)'
}

@test "--keep deletes the profiles with their snapshot, and a snapshot that cannot be written leaves none" {
	start_hungry
	record_it
	grow
	record_ends
	killed_snapshot
	start_hungry
	record_it --keep 1
	for _ in 1 2; do "$GOTAP" snap -p "$TARGET" -o first.trace; done
	[ "$(ls snaps | grep -c heap)" -eq 0 ]
	[ "$(ls snaps | wc -l)" -eq 2 ]
	chattr +i snaps 2>/dev/null || skip "no immutable folder here"
	grow
	wait "$RECORDER" || true
	chattr -i snaps
	[ "$(ls -A snaps | wc -l)" -eq 2 ]
	grep -q 'cannot write' "$REPORT"
}

# killed_at_name N: the program runs out of memory in one more recording, and gotap is killed at its Nth name for a file. Fails if
# there is no such name.
killed_at_name() {
	local status=0
	start_hungry
	REPORT=$BATS_TEST_TMPDIR/report
	strace -qq -f -o "$BATS_TEST_TMPDIR/calls" -e trace='/^(rename|link)' -e inject='/^(rename|link)':error=EIO:signal=KILL:when="$1" \
		"$GOTAP" record -p "$TARGET" --flight 10s,16M -o 'snaps/%n.trace' 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 not text_is_clean "$TARGET" || return
	grow
	wait "$RECORDER" || status=$?
	[ "$status" -ne 0 ]
}

@test "killed at any of the names of a snapshot with its profiles: what has its name is whole, the trace gets the last one" {
	local n f
	require_tool strace
	for n in 1 2 3 4; do
		rm -f snaps/*
		killed_at_name $n || fail "there are fewer than $n names: $(cat "$BATS_TEST_TMPDIR/calls")"
		[ "$(find snaps -type f -not -name '*.partial' | wc -l)" -eq $((n - 1)) ] || fail "$n: $(ls snaps)"
		[ -z "$(ls snaps/*.trace 2>/dev/null)" ]
		[ -n "$(ls snaps/*.trace.flight.partial)" ]
		for f in snaps/*.pb.gz; do [ ! -e "$f" ] || gzip -t "$f"; done
		for f in snaps/*.json; do [ ! -e "$f" ] || jq -e '.trigger.name == "oom"' "$f"; done
		# the next recording takes what was left away, once it is old
		touch -d '1 hour ago' snaps/*.partial
		build_prog "$REFERENCE_GO" idle
		start_target "$PROG"
		succeeds "$GOTAP" record -p "$TARGET" --flight 1s,16M -o 'snaps/%n.trace' -d 100ms
		[ -z "$(ls snaps)" ] || fail "$n: $(ls snaps)"
	done
}

# in_machine NAME LIMIT_OF: the snapshot of that step of tests/oom/guest, with its profile.
in_machine() {
	[ "$(cat "$GUEST/$1.status")" -eq 0 ] || fail "$(cat "$GUEST/$1.report")"
	SNAP=$(jq -r 'select(.trigger.name == "oom") | input_filename' "$GUEST/$1"/*.json)
	SNAP=${SNAP%.json}
	[ -f "$SNAP" ] || fail "no snapshot of the trigger oom: $(ls "$GUEST/$1") $(cat "$GUEST/$1.report")"
	is_of_leak "$SNAP"
	memory_of -e --arg of "$2" '.memory | .limit_of == $of and .limit_bytes == (64 * 1048576) and .oom_kills == 1 and
		.used_bytes > .limit_bytes / 2 and .heap.rate == 524288 and .heap.refused == 0'
	grep -qx 'oom_kill 1' "$GUEST/$1.events"
	succeeds "$GOTAP" check "$SNAP"
}

# An emulated kernel takes a minute of a processor.
# bats test_tags=soak-only
@test "cgroup v2: the limit is that of the cgroup, or of one above it" {
	require_tool qemu-system-x86_64 busybox
	require_kernel_image 5.10
	build_prog "$REFERENCE_GO" hungry
	GUEST=$BATS_TEST_TMPDIR/guest
	strip -o "$BATS_TEST_TMPDIR/gotap" "$GOTAP"
	"$CHECKOUT/tests/kernel/initramfs" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$CHECKOUT/tests/oom/guest" \
		"$BATS_TEST_TMPDIR/gotap" "$PROG" &&
		"$CHECKOUT/tests/kernel/boot" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$GUEST" ||
		fail "Linux 5.10 did not run to its end: $(tail -n 20 "$GUEST/console")"
	rm "$BATS_TEST_TMPDIR/initramfs"
	in_machine alone cgroup
	in_machine above parent
}
