#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# The findings of `gotap report`: each program of tests/sick has one known fault, and both its own trace and that of
# gotap must name it first, with the function and the line that has the comment BLAME. Healthy programs get no finding.
#
# SICK_GO="1.22 1.24 1.27" tests them with these releases, instead of the last one.

load lib/common

setup() {
	require_root
	require_tool jq
	read -ra RELEASES <<<"${SICK_GO:-$REFERENCE_GO}"
	# Findings are shares of the time and rates: the program and gotap have a high priority, so that a busy machine
	# does not change them.
	renice -n -15 -p "$BASHPID" >/dev/null
}

teardown() { stop_targets; }

# build_sick VERSION NAME...: sets $SICK to the folder with the programs.
build_sick() {
	local version=$1 name sources=$CHECKOUT/tests/sick
	shift
	require_go "$version"
	SICK=$BUILD/sick/go$version
	mkdir -p "$SICK"
	for name; do
		[ "$SICK/$name" -nt "$sources/$name.go" ] && [ "$SICK/$name" -nt "$sources/run.go" ] ||
			(cd "$sources" && CGO_ENABLED=0 "$GO" build -o "$SICK/$name" "$name.go" run.go) || return
	done
}

# blamed NAME: "function line" where the program says so.
blamed() {
	awk '/^func / { f = $2; sub(/\(.*/, "", f) } /BLAME/ { print "main." f, NR }' "$CHECKOUT/tests/sick/$1.go"
}

# recorded NAME [ARGUMENT...]: runs it; makes $BATS_TEST_TMPDIR/NAME.own and NAME.gotap.
recorded() {
	local name=$1 trace=$BATS_TEST_TMPDIR/$1
	shift
	rm -f "$trace.own.whole"
	start_target "$SICK/$name" -dur 1s -after 60s -trace "$trace.own" "$@" || return
	"$GOTAP" record -p "$TARGET" -d 0.8s --budget none -o "$trace.gotap" >"$trace.report" 2>&1 ||
		{ cat "$trace.report"; return 1; }
	wait_for 20 [ -e "$trace.own.whole" ]
	stop_target
}

# first_finding KIND NAME
first_finding() {
	local trace want
	want="$1 $(blamed "$2")"
	for trace in own gotap; do
		succeeds "$GOTAP" report --json "$BATS_TEST_TMPDIR/$2.$trace" >/dev/null || fail "$2.$trace: $output" || return
		jq -r '.findings[] | "\(.kind): \(.text)"' <<<"$output"
		[ "$(jq -r '.findings[0] | "\(.kind) \(.function) \(.line)"' <<<"$output")" = "$want" ] ||
			fail "$2, trace of $trace: the first finding is not $want" || return
	done
}

# unit_names NAME: the answer begins with a unit of work, a cause of which is in the function to blame, and the shares of
# its causes and the rest are the whole.
unit_names() {
	local trace want
	want=$(blamed "$1")
	for trace in own gotap; do
		succeeds "$GOTAP" report --json "$BATS_TEST_TMPDIR/$1.$trace" >/dev/null || fail "$1.$trace: $output" || return
		jq -r '.answer[0].text' <<<"$output"
		jq -e --arg want "${want% *}" '.answer[0] | .kind == "unit" and .count >= 3 and
			any(.causes[:3][]; .function == $want and .share > 0.3)' <<<"$output" >/dev/null ||
			fail "$1, trace of $trace: ${want% *} is none of the causes of the unit" || return
		jq -e '[.answer[].share] | add | . > 0.9999 and . < 1.0001' <<<"$output" >/dev/null ||
			fail "$1, trace of $trace: the shares are not the whole" || return
	done
}

# blames KIND NAME: with each release.
blames() {
	local version
	for version in "${RELEASES[@]}"; do
		build_sick "$version" "$2" || return
		recorded "$2" && first_finding "$1" "$2" || return
	done
}

# Those that leave the CPUs alone run side by side.
@test "who holds a lock, receives slowly, leaks, gets stuck, has futile wake-ups or waits for the network is named" {
	local version i pids faults=(lock:lock_sleep lock:chan_lock 'slow consumer:slow_consumer' leak:leak stuck:stuck
		'futile wake-ups:storm' 'slow network:slow_peer')
	for version in "${RELEASES[@]}"; do
		build_sick "$version" "${faults[@]#*:}" || return
		pids=()
		for i in "${faults[@]}"; do
			(recorded "${i#*:}" >"$BATS_TEST_TMPDIR/${i#*:}.log" 2>&1) 3>&- &
			pids+=($!)
		done
		for i in "${!pids[@]}"; do
			wait "${pids[i]}" || { cat "$BATS_TEST_TMPDIR/${faults[i]#*:}.log"; return 1; }
		done
		for i in "${faults[@]}"; do
			first_finding "${i%%:*}" "${i#*:}" || return
		done
		# the function of chan_lock to blame is in the middle of a chain, which the unit names at its end
		for i in lock_sleep slow_consumer; do
			unit_names "$i" || return
		done
	done
}

@test "a lock held while its holder computes: the holder is named" { blames lock lock_work; }

@test "goroutines that get no P: the function that holds the Ps is named" { blames starvation starved; }

@test "a heap with too little room to grow: who allocates is named" { blames gc gc_often; }

@test "garbage collections that the program asks for: who does is named" { blames 'forced gc' gc_forced; }

@test "a world that is stopped all the time: who stops it is named" { blames stop-the-world world_stopped; }

@test "a write for each byte: who writes is named" { blames 'tiny system calls' tiny_writes; }

@test "one goroutine that has too much to do for all: it is named" { blames serialised feeder; }

# no_finding NAME: in no trace of it.
no_finding() {
	local trace
	for trace in own gotap; do
		succeeds "$GOTAP" report --json "$BATS_TEST_TMPDIR/$1.$trace" >/dev/null || return
		jq -r '.findings[].text' <<<"$output"
		[ "$(jq '.findings | length' <<<"$output")" -eq 0 ] || fail "a finding in the trace of $trace" || return
	done
}

@test "healthy programs get no finding: idle, half loaded, with all that the CPUs can do" {
	local version arguments
	for version in "${RELEASES[@]}"; do
		build_sick "$version" healthy || return
		for arguments in '-pause 1h' '-pause 4ms' '-pause 0s'; do
			# shellcheck disable=SC2086 # several arguments
			recorded healthy $arguments && no_finding healthy || return
		done
	done
}
