#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Stripped programs whose DWARF data is in a file of its own: found by build id, by .gnu_debuglink, in the caches of
# debuginfod's clients, in a container's own file system; and never another program's.

load lib/common
load lib/record

setup() {
	require_root
	require_tool objcopy readelf
	T=$BATS_TEST_TMPDIR
	export HOME=$T/home
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
}

teardown() {
	stop_targets
	[ -z "${SERVER:-}" ] || kill "$SERVER" || true
}

# split FILE: makes it $PROG without symbols, and $T/program.debug; sets $ID.
split() {
	objcopy --only-keep-debug "$1" "$T/program.debug"
	objcopy --strip-all "$1" "$T/program"
	ID=$(readelf -n "$T/program" 2>/dev/null | sed -n 's/^ *Build ID: //p')
	PROG=$T/program
}

# found [PATH]: what doctor says about $PROG.
found() {
	gotap doctor "${DOCTOR[@]:-$PROG}"
	[ "$status" -eq 0 ]
	if [ $# -eq 1 ]; then
		matches "^  ok    debug file +$1$"
		matches '^  ok    field offsets +from DWARF of its debug file$'
	else
		! contains 'debug file' || fail "found one"
		matches '^  ok    field offsets +from table of Go'
	fi
}

# Go 1.22's linker writes no build id.
@test "by .gnu_debuglink, without a build id: by its checksum" {
	build_prog 1.22 mixed
	split "$PROG"
	objcopy --add-gnu-debuglink="$T/program.debug" "$T/program"
	[ -z "$ID" ]
	found "$T/program.debug"
	mkdir "$T/.debug"
	mv "$T/program.debug" "$T/.debug"
	found "$T/.debug/program.debug"
	# the same, but for one byte
	printf x >>"$T/.debug/program.debug"
	found
}

@test "by .gnu_debuglink, with a build id: another program's is refused" {
	build_prog 1.26 pingpong
	split "$PROG"
	mv "$T/program.debug" "$T/other.debug"
	build_prog 1.26 mixed
	split "$PROG"
	objcopy --add-gnu-debuglink="$T/program.debug" "$T/program"
	[ -n "$ID" ]
	found "$T/program.debug"
	mv "$T/other.debug" "$T/program.debug"
	found
}

@test "by build id, in /usr/lib/debug" {
	local dir=/usr/lib/debug/.build-id
	require_tool unshare
	[ -d /usr/lib/debug ] || skip "there is no /usr/lib/debug to mount over"
	CGO_ENABLED=1 build_prog 1.24 mixed -ldflags=-linkmode=external
	split "$PROG"
	run_logged unshare -m sh -ec "mount -t tmpfs none /usr/lib/debug
		mkdir -p $dir/${ID::2}
		mv $T/program.debug $dir/${ID::2}/${ID:2}.debug
		$GOTAP doctor $PROG
		cp /bin/true $dir/${ID::2}/${ID:2}.debug
		$GOTAP doctor $PROG"
	matches "^  ok    debug file +$dir/${ID::2}/${ID:2}.debug$"
	[ "$(grep -c '^  ok    debug file' <<<"$output")" -eq 1 ]
}

@test "in what a client of debuginfod has kept" {
	build_prog 1.26 mixed
	split "$PROG"
	mkdir -p "$T/home/.cache/debuginfod_client/$ID" "$T/cache/$ID"
	cp "$T/program.debug" "$T/home/.cache/debuginfod_client/$ID/debuginfo"
	mv "$T/program.debug" "$T/cache/$ID/debuginfo"
	found "$T/home/.cache/debuginfod_client/$ID/debuginfo"
	DEBUGINFOD_CACHE_PATH=$T/cache found "$T/cache/$ID/debuginfo"
	# an empty file there says that no server had it
	: >"$T/home/.cache/debuginfod_client/$ID/debuginfo"
	found
}

@test "a server is asked only if it must be, and one that does not answer keeps nobody waiting" {
	local port
	require_tool python3 ldconfig
	ldconfig -p | grep -q libdebuginfod || skip "needs libdebuginfod"
	build_prog 1.27 mixed
	cp "$PROG" "$T/unknown"
	sed -i 's/go1\.27\.[0-9]*/go1.28.4/g' "$T/unknown"
	split "$T/unknown"
	mkdir -p "$T/home" "$T/www/buildid/$ID"
	mv "$T/program.debug" "$T/www/buildid/$ID/debuginfo"
	python3 -u -m http.server -b 127.0.0.1 -d "$T/www" 0 >"$T/log" 2>&1 3>&- &
	SERVER=$!
	wait_for 60 grep -q port "$T/log"
	port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' "$T/log")
	start_target "$PROG" -dur 1h
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	# doctor never asks
	gotap doctor "$PROG"
	[ "$status" -eq 1 ]
	! grep -q GET "$T/log" || fail "doctor has asked the server"
	# of a release that is not known all must come from the debug file
	recorded "$T/a.trace" -d 300ms -p "$TARGET"
	grep -q "GET /buildid/$ID/debuginfo" "$T/log"
	views_ok "$T/a.trace"
	rm -rf "$T/home/.cache"
	DEBUGINFOD_URLS=http://127.0.0.1:1 run_logged "$GOTAP" record -d 1s -o "$T/b.trace" -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "whose runtime is unknown, and has no DWARF data"
}

@test "in a container's own file system" {
	local root=$T/box
	build_prog 1.26 pingpong
	split "$PROG"
	mkdir -p "$root/usr/lib/debug/.build-id/${ID::2}" "$root/bin"
	cp "$T/program" "$root/bin"
	mv "$T/program.debug" "$root/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug"
	start_target chroot "$root" /bin/program
	DOCTOR=(-p "$TARGET")
	found "/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug in the program's own file system"
	# a FIFO in its place keeps nobody waiting
	rm "$root/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug"
	mkfifo "$root/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug"
	found
}

# Of a release that is not known all must come from the debug file.
@test "in the file system that the launched command goes into" {
	local root=$T/box
	build_prog 1.27 exitquick
	cp "$PROG" "$T/unknown"
	sed -i 's/go1\.27\.[0-9]*/go1.28.4/g' "$T/unknown"
	split "$T/unknown"
	mkdir -p "$root/usr/lib/debug/.build-id/${ID::2}" "$root/bin"
	cp "$T/program" "$root/bin"
	mv "$T/program.debug" "$root/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug"
	recorded "$T/a.trace" -- chroot "$root" /bin/program
	views_ok "$T/a.trace"
}

@test "in a container: a link ends there, and a device is not opened" {
	local root=$T/box place
	require_tool strace
	build_prog 1.26 pingpong
	split "$PROG"
	place=/usr/lib/debug/.build-id/${ID::2}/${ID:2}.debug
	mkdir -p "$root${place%/*}" "$root/bin"
	cp "$T/program" "$root/bin"
	start_target chroot "$root" /bin/program
	DOCTOR=(-p "$TARGET")
	# the right file, but of the host
	ln -s "$T/program.debug" "$root$place"
	found
	# the same link means this in the container
	mkdir -p "$root$T"
	cp "$T/program.debug" "$root$T"
	found "$place in the program's own file system"
	rm "$root$place"
	mknod "$root$place" c 1 5
	run_logged strace -f -o "$T/calls" -e trace=open,openat,openat2 "$GOTAP" doctor -p "$TARGET"
	[ "$status" -eq 0 ]
	! contains 'debug file' || fail "found one"
	grep -F "$place" "$T/calls"
	! grep -F "$place" "$T/calls" | grep -v O_PATH || fail "opened"
}

@test "frames of the debug file are those of the program's own table" {
	build_prog 1.26 mixed
	split "$PROG"
	objcopy --add-gnu-debuglink="$T/program.debug" "$T/program"
	start_target "$PROG" -dur 1h
	recorded "$T/table.trace" -d 500ms --spool "$T/spool" -p "$TARGET"
	succeeds "$GOTAP" assemble -q --symbols dwarf -o "$T/dwarf.trace" "$T/spool"
	cmp "$T/table.trace" "$T/dwarf.trace"
	recorded "$T/b.trace" -d 300ms --symbols dwarf -p "$TARGET"
	views_ok "$T/b.trace"
	"$ORACLE/check" -stacks "$T/b.trace" | grep -q 'main\.unbuffered'
	rm "$T/program.debug"
	run_logged "$GOTAP" assemble -q --symbols dwarf -o "$T/c.trace" "$T/spool"
	[ "$status" -eq 1 ]
	contains "no DWARF"
}
