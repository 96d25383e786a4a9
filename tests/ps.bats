# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap ps: which Go programs run here. (Containers: container.bats.)

load lib/common
load lib/modes

teardown() {
	stop_targets
	close_place
}

# as_user UID COMMAND...: without any rights. (The command itself begins with them: a file that it is to execute must
# lie where this user may go.)
as_user() { run_logged setpriv "--reuid=$1" "--regid=$1" --clear-groups --inh-caps=-all "${@:2}"; }

# start_as_user UID COMMAND...: as start_target.
start_as_user() { start_target setpriv "--reuid=$1" "--regid=$1" --clear-groups --inh-caps=-all "${@:2}"; }

# row JSON-EXPRESSION: of the process $TARGET in the last run's output, p.
row() {
	python3 -c 'import json, sys
rows = [p for p in json.loads(sys.argv[1])["processes"] if p["pid"] == int(sys.argv[2])]
p = rows[0] if rows else None
print(eval(sys.argv[3]))' "$output" "$TARGET" "$1"
}

@test "a Go program, as a table and as JSON" {
	build_prog 1.26 idle
	start_target "$PROG"
	gotap ps
	[ "$status" -eq 0 ]
	matches '^ *PID +PPID +%CPU-LIFE +GOROUTINES +GO +SYMBOLS +PGO +TRACE +CONTAINER +COMMAND$'
	matches "^ *$TARGET +$$ +[0-9.]+ +[0-9]+ +go1\.26[.0-9]* +dwarf +no +yes +- +$PROG$"
	gotap ps --json
	[ "$status" -eq 0 ]
	[ "$(row 'p["exe"]')" = "$PROG" ]
	[ "$(row 'p["parent"], p["command"], p["user"]')" = "($$, '$PROG', '$(id -un)')" ]
	[ "$(row 'p["traceable"], p["why_not"], p["container"], p["pgo"]')" = "(True, None, None, None)" ]
	[ "$(row 'sum(p["goroutines_by_state"].values()) == p["goroutines"] and sorted(p["goroutines_by_state"])')" = \
		"['runnable', 'running', 'syscall', 'waiting']" ]
}

# family: starts $PARENT, which waits for its child $CHILD, which uses one CPU; with a high priority where the test may
# set that.
family() {
	build_prog 1.26 fullload
	local busy=$PROG
	build_prog 1.26 exec
	GOMAXPROCS=1 start_target setsid "$PROG" -after 1ms -fork "$busy"
	PARENT=$TARGET
	wait_for 60 child_runs
	TARGETS+=" $CHILD"
	prefer
}

# prefer: raises the priority of $CHILD's threads, and of its session, as Linux may share the CPUs between sessions
# (autogroup).
prefer() {
	local task
	echo -15 >"/proc/$CHILD/autogroup" || true
	for task in "/proc/$CHILD/task/"*; do renice -n -15 -p "${task##*/}" || true; done
} >/dev/null 2>&1

# ticks: the CPU time of $CHILD, in clock ticks.
ticks() { awk '{ print $14 + $15 }' "/proc/$CHILD/stat"; }

child_runs() {
	read -r CHILD <"/proc/$PARENT/task/$PARENT/children" || CHILD=$(pgrep -P "$PARENT") || return
	[ "$(cat "/proc/$CHILD/comm")" = fullload ] && [ "$(ticks)" -ge 20 ]
}

@test "parent, CPU use and command line; who used most comes first" {
	family
	gotap ps
	[ "$status" -eq 0 ]
	matches "^ *$CHILD +$PARENT +[0-9.]+ .* /[^ ]*/fullload$"
	matches "^ *$PARENT +$$ .* /[^ ]*/exec -after 1ms -fork /"
	[ "$(grep -Eo "^ *($CHILD|$PARENT) " <<<"$output" | head -n 1 | tr -d ' ')" = "$CHILD" ]
	gotap ps --json
	TARGET=$CHILD
	[ "$(row 'p["parent"]')" = "$PARENT" ]
	[ "$(row 'p["cpu_seconds"] >= 0.2 and p["cpu_percent"] > 0')" = True ]
	[ "$(row '[p["cpu_percent"] for p in json.loads(sys.argv[1])["processes"]] == sorted((p["cpu_percent"]
		for p in json.loads(sys.argv[1])["processes"]), reverse=True)')" = True ]
	[ "$(row 'p["command_cut"]')" = False ]
	gotap ps --json --command-max 6
	[ "$(row 'p["command"] + " " + str(p["command_cut"])')" = "${PROG:0:6} True" ]
}

# says_busy REGEX ARGUMENT...: makes recordings of 2 s until a report has a matching line. It must have one if $CHILD
# used a quarter of a CPU in these 2 s. Only its CPU time around the whole command is known: the part that it may have
# used before and after the 2 s is subtracted. If the rest is too little, on a busy machine, the recording is made
# again.
says_busy() {
	local i hz began before least
	hz=$(getconf CLK_TCK)
	for i in {1..20}; do
		began=${EPOCHREALTIME/./}
		before=$(ticks)
		gotap record -d 2s "${@:2}"
		[ "$status" -eq 0 ] || return
		! grep -Eq -- "$1" <<<"$output" || return 0
		least=$(($(ticks) - before))
		least=$((least - (${EPOCHREALTIME/./} - began - 2000000) * hz / 1000000))
		[ "$least" -lt $((hz * 2 / 4)) ] || fail "it is busy, and no line matches '$1'" || return
	done
	fail "it never had so much"
}

@test "record of an idle parent names the child that is busy" {
	require_root
	family
	says_busy "^process $PARENT is idle; its child $CHILD \(fullload\) uses [0-9]+ % of a CPU: record it with -p $CHILD$" \
		-o "$BATS_TEST_TMPDIR/trace" -p "$PARENT"
	says_busy "\"busy_child\": \{\"pid\": $CHILD, \"name\": \"fullload\", \"cpu_percent\": " \
		--json -o "$BATS_TEST_TMPDIR/trace" -p "$PARENT"
	gotap record -d 500ms -q -o "$BATS_TEST_TMPDIR/trace" -p "$PARENT"
	[ -z "$output" ]
	gotap record -d 500ms --json -o "$BATS_TEST_TMPDIR/trace" -p "$CHILD"
	contains '"busy_child": null'
}

# Wide enough for the container of any other process.
@test "on a terminal a row is cut to its width" {
	require_tool script
	build_prog 1.26 idle
	(exec -a "$(printf 'x%.0s' {1..300})" "$PROG") >/dev/null 3>&- &
	TARGETS+=" $!"
	wait_for 60 grep -q xxx "/proc/$!/cmdline"
	run_logged script -qec "stty cols 160; '$GOTAP' ps" /dev/null
	output=${output//$'\r'/}
	matches "^ *$! .* x+$"
	! grep -v '^gotap:' <<<"$output" | grep -E '^.{161}' || fail "wider than the terminal"
}

# For this user there is no process more in which a file could be looked at.
@test "a process of which the file could not be looked at is named, with the reason" {
	require_root
	require_tool setpriv prlimit
	local roots
	build_prog 1.26 idle
	open_place
	install -m 755 "$PROG" "$PLACE/theirs"
	start_target "$PROG"
	roots=$TARGET
	start_as_user 64999 "$PLACE/theirs"
	as_user 64999 prlimit --nproc=1 "$PLACE/gotap" ps --json
	[ "$status" -eq 0 ]
	contains "{\"pid\": $TARGET, \"name\": \"theirs\", \"why\": \"cannot make a process: "
	as_user 64999 "$PLACE/gotap" ps --json
	[ "$status" -eq 0 ]
	contains "{\"pid\": $roots, \"name\": \"idle\", \"why\": \"Permission denied\"}"
}

# goroutines_are N: the program has N, and the runtime four to nine more.
goroutines_are() { [ "$(row "$1 + 4 <= p['goroutines'] <= $1 + 9")" = True ]; }

@test "goroutines, of a program with symbols, of a stripped one, and of an old release" {
	require_root
	local version flags
	for version in "$REFERENCE_GO" 1.22 1.15; do
		for flags in -ldflags= -ldflags=-s; do
			build_prog "$version" many "$flags"
			start_target "$PROG" -n 5000
			gotap ps --json
			goroutines_are 5000
			stop_target
		done
	done
	build_prog "$REFERENCE_GO" idle
	start_target "$PROG"
	gotap ps
	matches "^ *$TARGET +$$ +[0-9.]+ +[0-9]+ +go1"
	open_place
	as_user 65534 "$PLACE/gotap" ps
	! matches "^ *$TARGET " || fail "looked at root's"
}

@test "stripped" {
	build_prog 1.26 idle -ldflags=-s
	start_target "$PROG"
	gotap ps
	matches "^ *$TARGET .* stripped "
}

@test "built with a profile" {
	real_profile
	build_prog 1.27 mixed "-pgo=$PROFILE"
	start_target "$PROG" -delay 1h
	gotap ps --json
	[ "$(row 'p["pgo"]')" = "$PROFILE" ]
	gotap ps
	matches "^ *$TARGET .* dwarf +yes +"
}

@test "a release that cannot be traced says why" {
	build_prog 1.19 idle
	start_target "$PROG"
	gotap ps --json
	[[ $(row 'p["go"]') == go1.19* ]]
	[ "$(row 'p["traceable"]')" = True ] || [[ $(row 'p["why_not"]') == *"go1.19"* ]]
}

@test "programs that are not Go, and gotap itself, are not listed" {
	gotap ps --json
	! contains '/gotap"' || fail "lists itself"
	! contains '/bash"' || fail "lists a shell"
}

@test "a deleted executable" {
	build_prog 1.26 idle
	cp "$PROG" "$BATS_TEST_TMPDIR/gone"
	start_target "$BATS_TEST_TMPDIR/gone"
	rm "$BATS_TEST_TMPDIR/gone"
	gotap ps --json
	[ "$(row 'p["exe"]')" = "$BATS_TEST_TMPDIR/gone (deleted)" ]
	[ "$(row 'p["traceable"]')" = True ]
}

@test "processes come and go meanwhile" {
	local i
	(for i in {1..400}; do /bin/true; done) 3>&- &
	for i in {1..10}; do
		succeeds "$GOTAP" ps >/dev/null
	done
	wait $!
}

# listing: runs gotap ps, with the output in the files listing and hidden; sets $TOOK to its CPU time in ms.
listing() {
	local TIMEFORMAT='%U %S'
	TOOK=$({ time "$GOTAP" ps >"$BATS_TEST_TMPDIR/listing" 2>"$BATS_TEST_TMPDIR/hidden"; } 2>&1)
	TOOK=$(awk '{ print int(1000 * ($1 + $2)) }' <<<"$TOOK")
}

# Measured is CPU time, without that for the processes that the machine had before; and the best of five, as programs
# that share the machine's caches make the same work slower.
@test "three hundred processes take less than a second of CPU time" {
	local i alone
	build_prog 1.26 idle
	start_target "$PROG"
	listing
	alone=$TOOK
	for i in {1..300}; do
		sleep 600 3>&- &
		TARGETS+=" $!"
	done
	for i in {1..5}; do
		listing
		grep -q "^ *$TARGET " "$BATS_TEST_TMPDIR/listing"
		printf 'without them %s ms, with them %s ms\n' "$alone" "$TOOK"
		[ $((TOOK - alone)) -ge 1000 ] || return 0
	done
	fail "took more each time"
}

@test "without privileges: our own programs, and what could not be looked at" {
	require_root
	require_tool setpriv
	build_prog 1.26 idle
	open_place
	start_target "$PROG"
	as_user 65534 "$PLACE/gotap" ps
	[ "$status" -eq 0 ]
	! matches "^ *$TARGET " || fail "looked at root's"
	matches 'could not look at [0-9]+ processes of other users: run gotap as root or with CAP_SYS_PTRACE'
	install -m 755 "$PROG" "$PLACE/theirs"
	start_as_user 65534 "$PLACE/theirs"
	as_user 65534 "$PLACE/gotap" ps
	matches "^ *$TARGET .* go1\.26"
}

@test "wrong usage" {
	gotap ps something
	[ "$status" -eq 2 ]
	gotap ps --nonsense
	[ "$status" -eq 2 ]
	gotap ps --command-max 4097
	[ "$status" -eq 2 ]
	contains '--command-max takes a number from 1 to 4096'
	gotap ps --proc /tmp
	[ "$status" -eq 1 ]
	contains "'/tmp' is not a mount of proc"
	gotap ps --help
	[ "$status" -eq 0 ]
}
