#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap is killed while it attaches, while it records, and while it detaches. Those that were are
# counted, and of each kind there must be some. The target goes on, and no breakpoint is left in it.
# That takes up to two seconds on a quiet machine; with uprobes of perf longer, which the kernel takes
# out one after the other. `make soak` does so at random moments, four recorders at a time.

load lib/common
load lib/record

# Recorders at a time: they stand in one another's way in the kernel, which makes each step longer.
SIDE_BY_SIDE=1
! soaks || SIDE_BY_SIDE=4
# The longest that a machine may take to remove breakpoints (ms).
LONGEST_MS=60000

setup() {
	require_root
	require_tool dd cmp dmesg
}

teardown() { stop_targets; }

# nap MS: for 0 it does not start sleep(1), as even that can take long.
nap() { [ "$1" -eq 0 ] || sleep "$(printf '0.%03d' "$1")"; }

# kill_at KIND DELAY ARGUMENT...: a recorder that is killed while it attaches, records, or detaches; at most DELAY ms
# after that began. Notes in $KILLED/KIND that it was: that a breakpoint was in the target's code, or that the trace had
# bytes, which it has from when the probes are in place until it is whole.
kill_at() {
	local kind=$1 delay=$2 pid trace seen=
	shift 2
	trace=$BATS_TEST_TMPDIR/killed.$BASHPID
	"$GOTAP" record -q -p "$TARGET" -o "$trace" "$@" 3>&- 2>/dev/null &
	pid=$!
	case $kind in
	attaching) ! within_attach "$delay" || seen=yes ;;
	recording)
		! wait_for 60 [ -s "$trace.partial" ] || seen=yes
		nap "$delay"
		;;
	detaching)
		! wait_for 60 [ -s "$trace.partial" ] || seen=yes
		kill -INT "$pid" 2>/dev/null
		nap $((delay % 2 * delay % 120))	# the first of a round at once: it cannot have ended
		;;
	esac
	kill -KILL "$pid" 2>/dev/null
	status=0
	wait "$pid" || status=$?
	# 128 + SIGKILL: it had not ended by itself.
	[ -z "$seen" ] || [ "$status" -ne 137 ] || echo "$trace" >>"$KILLED/$kind"
}

# within_attach DELAY: half the time any moment of the first 200 ms; else as soon as a breakpoint has come, which the
# recorders of a round put into the same code. True if one is there.
within_attach() {
	local i
	if (($1 % 2)); then
		nap $(($1 % 200))
	else
		for ((i = 0; i < 3000; i++)); do ! has_breakpoint || return 0; done
	fi
	has_breakpoint
}

has_breakpoint() { ! text_is_clean "$TARGET"; }

# kill_some SEED COUNT ARGUMENT...
kill_some() {
	local seed=$1 count=$2 n=0 i round=0 kind slowest=0 begin took leaked pids delay
	local kinds=(attaching recording detaching)
	shift 2
	RANDOM=$seed
	leaks >"$BATS_TEST_TMPDIR/leaks"
	KILLED=$BATS_TEST_TMPDIR/killed
	mkdir "$KILLED"
	while goes_on "$count" "$n"; do
		pids=()
		kind=${kinds[round++ % 3]}
		for ((i = 0; i < SIDE_BY_SIDE; i++, n++)); do
			# The first one of a round waits until something is seen.
			delay=$((RANDOM % 400 * 2 + (i > 0 ? RANDOM % 2 : 0)))
			kill_at "$kind" "$delay" "$@" &
			pids+=($!)
		done
		wait "${pids[@]}" || true
		begin=${EPOCHREALTIME/./}
		until text_is_clean "$TARGET"; do
			took=$(((${EPOCHREALTIME/./} - begin) / 1000))
			((took < LONGEST_MS)) || fail "seed $seed: $(breakpoints_in "$TARGET") breakpoints left after kill $n" || return
			sleep 0.05
		done
		took=$(((${EPOCHREALTIME/./} - begin) / 1000))
		((took <= slowest)) || slowest=$took
		target_runs || fail "seed $seed: the target is dead after kill $n" || return
	done
	leaked=$(leaks_but "$BATS_TEST_TMPDIR/leaks")
	[ "$leaked" -eq 0 ] || fail "seed $seed: $leaked breakpoints could not be taken out"
	explain "seed $seed: $n kills, $(killed), the last breakpoint gone after at most $slowest ms"
	leaks_are_known || explain "the kernel's log may not be read here: breakpoints that it could not take out are not counted"
	for kind in "${kinds[@]}"; do
		[ -s "$KILLED/$kind" ] || fail "seed $seed: none was killed while $kind"
	done
}

# killed: prints how many were, of each kind.
killed() { (cd "$KILLED" && wc -l -- * | awk '$2 != "total" { printf "%s%d %s", n++ ? ", " : "", $1, $2 }'); }

@test "breakpoints can be seen in a target, and are gone when a recording ends" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	text_is_clean "$TARGET"
	start_record "$BATS_TEST_TMPDIR/trace" -p "$TARGET"
	[ "$(breakpoints_in "$TARGET")" -gt 30 ]
	stop_record
	text_is_clean "$TARGET"
}

@test "the process that holds the probes is killed: the recording ends and says so, the target goes on" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	start_record "$BATS_TEST_TMPDIR/trace" -p "$TARGET"
	kill -KILL "$(pgrep -x gotap-prober -P "$RECORDER")"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap-prober) was killed"* ]]
	text_is_clean "$TARGET"
	target_runs
}

@test "and the same with uprobes of perf, where what it left cannot be taken out: a further recording does" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	start_record "$BATS_TEST_TMPDIR/trace" -p "$TARGET" --attach perf
	kill -KILL "$(pgrep -x gotap-prober -P "$RECORDER")"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap-prober) was killed"*"breakpoints may have stayed"* ]]
	target_runs
	record "$BATS_TEST_TMPDIR/trace" -p "$TARGET" --attach perf -d 300ms
	[ "$status" -eq 0 ]
	text_is_clean "$TARGET"
	target_runs
}

@test "gotap is stopped: soon no breakpoint is left, and when it is continued the trace ends at the stop" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	start_record "$BATS_TEST_TMPDIR/trace" -p "$TARGET"
	sleep 0.5
	kill -STOP "$RECORDER"
	wait_for 60 text_is_clean "$TARGET"
	target_runs
	kill -CONT "$RECORDER"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap itself was stopped"* ]]
	trace_ok "$BATS_TEST_TMPDIR/trace"
	text_is_clean "$TARGET"
	target_runs
}

# bats test_tags=soak
@test "gotap is killed as it attaches, records, detaches: the target goes on, without a breakpoint" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	kill_some "${SOAK_SEED:-1}" 3 --budget none
}

# tests/kernels.bats does so on a kernel that has no others.
# bats test_tags=soak,soak-only
@test "and the same with uprobes of perf" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10h
	SIDE_BY_SIDE=1 kill_some "${SOAK_SEED:-1}" 3 --budget none --attach perf
}
