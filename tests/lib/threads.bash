# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Recordings with group linux, and conditions of threads. The caller's setup sets TRACE, SPOOL and REPORT, and FOLDER=''
# RECORDER=''; its teardown calls thaw, ends RECORDER and removes FOLDER. Load after lib/cgroup.

# begin ARGUMENT...: records the target in the background; returns when gotap has read the state of each thread.
begin() {
	"$GOTAP" record -p "$TARGET" -e +linux --budget none --json -o "$TRACE" --spool "$SPOOL" "$@" 2>"$REPORT" 3>&- &
	RECORDER=$!
	wait_for 60 has_read || { cat "$REPORT"; return 1; }
}

has_read() { "$GOTAP" records "$SPOOL.partial" 2>/dev/null | grep -q 'THREADS .*step=read' || ! target_runs "$RECORDER"; }

# saw N REGEX: the spool has at least N records that match. For wait_for.
saw() { [ "$("$GOTAP" records "$SPOOL.partial" 2>/dev/null | grep -c -- "$2")" -ge "$1" ]; }

end() {
	kill -INT "$RECORDER"
	status=0
	wait "$RECORDER" || status=$?
	RECORDER=
	[ "$status" -eq 0 ] || { cat "$REPORT"; return 1; }
	"$GOTAP" records "$SPOOL" >"$SPOOL.txt"
}

all_stopped() { ! awk '{ sub(/.*\) /, ""); print $1 }' "/proc/$TARGET/task/"*/stat | grep -qv T; }

stop() { kill -STOP "$TARGET" && wait_for 60 all_stopped; }

# a_file: 16 MB on a disk, not in memory, in FILE.
a_file() {
	FILE=$BATS_TEST_TMPDIR/data
	case $(stat -f -c %T "$BATS_TEST_TMPDIR") in tmpfs | ramfs) skip "no disk here" ;; esac
	dd if=/dev/urandom of="$FILE" bs=1M count=16 status=none
	sync "$FILE"
}
