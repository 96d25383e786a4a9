#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Which processes reach the socket of a flight recording, and where it is.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq setpriv unshare python3
	cd "$BATS_TEST_TMPDIR"
	mkdir snaps
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	start_flight
}

teardown() { stop_targets; }

# start_flight ARGUMENT...: records the target as $RECORDER, and takes the first snapshot.
start_flight() {
	REPORT=$BATS_TEST_TMPDIR/report
	"$GOTAP" record --json -e sched -p "$TARGET" --flight 5s,16M -o 'snaps/%n.trace' "$@" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 first_snapshot
}

first_snapshot() { "$GOTAP" snap -p "$TARGET" >first 2>&1 || { ! target_runs "$RECORDER" && fail "$(cat "$REPORT")"; }; }

# own_socket: the path of the recording's socket.
own_socket() { echo "/run/gotap/flight-$TARGET-$(awk '{ print $22 }' "/proc/$TARGET/stat")"; }

written() { find snaps -name '*.trace' | wc -l; }

# as_container COMMAND...: as root of a container with the network of the host and no capability.
as_container() {
	run_logged unshare -m -u -i -C --fork setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
}

@test "the socket is a file in a folder of mode 0700, and goes with the recording" {
	[ "$(stat -c '%a %u %F' /run/gotap)" = "700 0 directory" ]
	[ "$(stat -c '%a %u %F' "$(own_socket)")" = "600 0 socket" ]
	! grep -aq "gotap-flight" /proc/net/unix || fail "an abstract socket"
	stop_record
	[ ! -e "$(own_socket)" ]
}

@test "root of a container that has no capability gets no trace, also where it sees the socket" {
	as_container "$GOTAP" snap -p "$TARGET" -o copy
	[ "$status" -eq 1 ]
	contains "CAP_SYS_PTRACE"
	[ ! -e copy ]
	run_logged unshare -m --fork sh -c 'mount -t tmpfs none /run && exec setpriv --bounding-set=-all --inh-caps=-all "$@"' - \
		"$GOTAP" snap -p "$TARGET" -o copy
	[ "$status" -eq 1 ]
	contains "there is no flight recording of process $TARGET"
	run_logged unshare -U --map-root-user "$GOTAP" snap -p "$TARGET" -o copy
	[ "$status" -eq 1 ]
	[ ! -e copy ]
	[ "$(written)" -eq 1 ]
}

@test "another mount namespace that shares /run reaches it, as does --socket PATH" {
	succeeds unshare -m "$GOTAP" snap -p "$TARGET" -o copy
	cmp copy snaps/2.trace
	succeeds "$GOTAP" snap --socket "$(own_socket)" -o copy
	cmp copy snaps/3.trace
}

@test "another user cannot take the name, nor be asked in place of the recording" {
	open_place
	run_logged python3 -c '
import os, socket, sys
os.setgroups([])
os.setuid(65534)
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$(own_socket)"
	[ "$status" -ne 0 ]
	contains "PermissionError"
	run_logged setpriv --reuid 65534 --clear-groups "$PLACE/gotap" snap -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "there is no flight recording of process $TARGET by this user"
	# The folder of user 65534 in /tmp, made by another one, and one that others may open.
	mkdir -m 700 "$BATS_TEST_TMPDIR/runtime"
	mkdir -m 755 "$BATS_TEST_TMPDIR/runtime/gotap"
	chown -R 65534 "$BATS_TEST_TMPDIR/runtime"
	cd "$PLACE"
	mv "$BATS_TEST_TMPDIR/runtime" .
	chown 0 runtime/gotap
	run_logged env XDG_RUNTIME_DIR="$PLACE/runtime" setpriv --reuid 65534 --clear-groups "$PLACE/gotap" snap -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "must be this user's"
	rm -rf runtime/gotap
	ln -s /run/gotap runtime/gotap
	run_logged env XDG_RUNTIME_DIR="$PLACE/runtime" setpriv --reuid 65534 --clear-groups "$PLACE/gotap" snap -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "must be this user's"
	close_place
}

@test "a killed recording's socket is taken over, and goes when its process has gone" {
	local old
	old=$(own_socket)
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	[ -S "$old" ]
	start_flight
	[ -S "$old" ]
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	stop_target
	[ -S "$old" ]
	start_target "$PROG"
	start_flight
	[ ! -e "$old" ]
	[ -S "$(own_socket)" ]
	gotap snap -p "$RECORDER"
	[ "$status" -eq 1 ]
	contains "there is no flight recording of process $RECORDER"
}

# Each connects and sends nothing, for as long as it is let.
@test "connections of root that send nothing keep nobody from a snapshot" {
	python3 -c '
import socket, sys, time
idle = [socket.socket(socket.AF_UNIX) for _ in range(30)]
for s in idle:
	s.setblocking(False)
	try:
		s.connect(sys.argv[1])
	except BlockingIOError:
		pass
print("ready", flush=True)
time.sleep(60)' "$(own_socket)" >idle 3>&- &
	TARGETS+=" $!"
	wait_for 10 grep -q ready idle
	succeeds "$GOTAP" snap -p "$TARGET"
	[ "$(written)" -eq 2 ]
}
