#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a command writes to: a regular file appears under its name when it is whole, and what was there before stays
# until then; nothing of another user's is written to or followed.

load lib/common
load lib/record

setup() {
	TRACE=$BATS_TEST_TMPDIR/x.trace
	GOOD=$CHECKOUT/tests/vectors/ok_string_1024.trace
}

teardown() {
	stop_targets
	[ ! -d "$BATS_TEST_TMPDIR/small" ] || umount "$BATS_TEST_TMPDIR/small"
}

mixed() {
	require_root
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
}

# one_line STATUS TEXT: how the last command ended, and that its one line has this text.
one_line() {
	[ "$status" -eq "$1" ] || fail "status $status, not $1"
	[ "${#lines[@]}" -eq 1 ] || fail "not one line"
	contains "$2"
}

nothing_beside() { [ -z "$(find "$BATS_TEST_TMPDIR" -name '*.partial*')" ] || fail "a .partial file is left"; }

# killed: a recording to $TRACE that was killed when it had a generation.
killed() {
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 has_bytes "$TRACE.partial" 1000
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
}

# --- convert, assemble, text and wire ----------------------------------------------------------

@test "a command that fails leaves the file that was there, and nothing else" {
	local command
	echo old >"$TRACE"
	head -c 20 "$GOOD" >"$BATS_TEST_TMPDIR/cut"
	printf 'Trace Go1.22\nNonsense\n' >"$BATS_TEST_TMPDIR/cut.txt"
	for command in "convert $BATS_TEST_TMPDIR/none" "wire $BATS_TEST_TMPDIR/cut.txt" "assemble $BATS_TEST_TMPDIR/cut" \
		"text $BATS_TEST_TMPDIR/none"; do
		# shellcheck disable=SC2086
		gotap $command -o "$TRACE"
		one_line 1 "gotap: "
		[ "$(cat "$TRACE")" = old ]
		nothing_beside
	done
}

@test "a text of a damaged trace leaves the file that was there, and nothing else" {
	local damaged
	require_go "$REFERENCE_GO"
	head -c 1000 "$CHECKOUT/build/go/go$REFERENCE_GO/src/internal/trace/internal/tracev1/testdata/user_task_region_1_11_good" >"$BATS_TEST_TMPDIR/old"
	echo old >"$TRACE"
	for damaged in "$CHECKOUT/tests/vectors/bad_batch_truncated.trace" "$BATS_TEST_TMPDIR/old"; do
		gotap text "$damaged" -o "$TRACE"
		one_line 1 "gotap: $damaged: "
		[ "$(cat "$TRACE")" = old ]
		nothing_beside
	done
	"$GOTAP" text "$CHECKOUT/tests/vectors/bad_batch_truncated.trace" 2>/dev/null | grep -q '^Trace Go1' || fail "nothing is printed"
}

@test "a disk that is full leaves the file that was there" {
	local command
	require_root
	"$GOTAP" text "$GOOD" >"$BATS_TEST_TMPDIR/text"
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=16k none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs"
	TRACE=$BATS_TEST_TMPDIR/small/x
	echo old >"$TRACE"
	! head -c 100k /dev/zero >"$BATS_TEST_TMPDIR/small/fill" 2>/dev/null || fail "not full"
	for command in "convert $GOOD" "text $GOOD" "wire $BATS_TEST_TMPDIR/text"; do
		# shellcheck disable=SC2086
		gotap $command -o "$TRACE"
		one_line 1 "No space left on device"
		[ "$(cat "$TRACE")" = old ]
		nothing_beside
	done
}

@test "mode and owner of a file that is replaced stay" {
	require_root
	: >"$TRACE"
	chmod 640 "$TRACE"
	chown 12345:54321 "$TRACE"
	succeeds "$GOTAP" convert "$GOOD" -o "$TRACE"
	[ "$(stat -c '%a %u %g' "$TRACE")" = "640 12345 54321" ]
	succeeds "$GOTAP" check "$TRACE"
	nothing_beside
}

@test "through a symbolic link: the file that it leads to is replaced" {
	mkdir "$BATS_TEST_TMPDIR/there"
	ln -s there/file "$TRACE"
	succeeds "$GOTAP" convert "$GOOD" -o "$TRACE"
	[ -L "$TRACE" ]
	[ -f "$BATS_TEST_TMPDIR/there/file" ]
	succeeds "$GOTAP" convert "$GOOD" -o "$TRACE"
	[ -L "$TRACE" ]
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/there/file"
	ln -s loop "$BATS_TEST_TMPDIR/loop"
	gotap convert "$GOOD" -o "$BATS_TEST_TMPDIR/loop"
	one_line 1 "Too many levels of symbolic links"
	nothing_beside
}

@test "a file in a folder that may not be written is written in place" {
	require_root
	require_tool setpriv
	mkdir "$BATS_TEST_TMPDIR/theirs"
	: >"$BATS_TEST_TMPDIR/theirs/x"
	chmod 666 "$BATS_TEST_TMPDIR/theirs/x"
	cp "$GOTAP" "$GOOD" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR/theirs"
	succeeds setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all,+dac_read_search --inh-caps=+dac_read_search \
		--ambient-caps=+dac_read_search "$BATS_TEST_TMPDIR/gotap" convert "$BATS_TEST_TMPDIR/$(basename "$GOOD")" -o x
	cmp x "$GOOD" || "$GOTAP" check x
	[ "$(stat -c %u x)" -eq 0 ]
}

@test "a file that may not be written is not replaced" {
	require_root
	require_tool setpriv
	echo old >"$TRACE"
	chmod 444 "$TRACE"
	chmod 777 "$BATS_TEST_TMPDIR"
	cp "$GOTAP" "$GOOD" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	run_logged setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all,+dac_read_search --inh-caps=+dac_read_search \
		--ambient-caps=+dac_read_search "$BATS_TEST_TMPDIR/gotap" convert "$BATS_TEST_TMPDIR/$(basename "$GOOD")" -o x.trace
	one_line 1 "cannot write 'x.trace': Permission denied"
	[ "$(cat "$TRACE")" = old ]
}

# --- what others put there ---------------------------------------------------------------------

# sticky: a folder where anyone may put files, with one of another user's as x.
sticky() {
	require_root
	SHARED=$BATS_TEST_TMPDIR/shared
	mkdir "$SHARED"
	chmod 1777 "$SHARED"
}

refuses_x() {
	run_logged timeout 60 "$GOTAP" convert "$GOOD" -o "$SHARED/x"
	one_line 1 "cannot write '$SHARED/x': it belongs to another user (uid 65534)"
	[ ! -e "$SHARED/x.partial" ]
}

@test "another user's pipe, link and file in a shared folder are neither opened nor followed" {
	sticky
	mkfifo "$SHARED/x"
	chown 65534 "$SHARED/x"
	refuses_x
	rm "$SHARED/x"
	echo mine >"$BATS_TEST_TMPDIR/mine"
	ln -s "$BATS_TEST_TMPDIR/mine" "$SHARED/x"
	chown -h 65534 "$SHARED/x"
	refuses_x
	[ "$(cat "$BATS_TEST_TMPDIR/mine")" = mine ]
	rm "$SHARED/x"
	echo theirs >"$SHARED/x"
	chown 65534 "$SHARED/x"
	refuses_x
	[ "$(cat "$SHARED/x")" = theirs ]
}

@test "what another user placed where the file would be written is not touched" {
	sticky
	ln -s "$BATS_TEST_TMPDIR/mine" "$SHARED/x.partial"
	chown -h 65534 "$SHARED/x.partial"
	gotap convert "$GOOD" -o "$SHARED/x"
	one_line 1 "'x.partial' beside it, which it would be written to until it is whole, is in the way"
	[ ! -e "$BATS_TEST_TMPDIR/mine" ]
	rm "$SHARED/x.partial"
	mkfifo "$SHARED/x.partial"
	run_logged timeout 60 "$GOTAP" convert "$GOOD" -o "$SHARED/x"
	one_line 1 "is in the way"
}

# by_nobody ARGUMENT...: gotap as a user without rights, in $SHARED.
by_nobody() {
	cp "$GOTAP" "$BATS_TEST_TMPDIR/gotap"
	chmod 755 "$BATS_TEST_TMPDIR"
	cd "$SHARED"
	run_logged setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all,+dac_read_search --inh-caps=+dac_read_search \
		--ambient-caps=+dac_read_search "$BATS_TEST_TMPDIR/gotap" "$@"
}

# Who may write it may not rename over it.
@test "a file of the owner of a shared folder is written in place by others" {
	require_tool setpriv
	sticky
	echo old >"$SHARED/x"
	chmod 666 "$SHARED/x"
	cp "$GOOD" "$BATS_TEST_TMPDIR/good"
	by_nobody convert "$BATS_TEST_TMPDIR/good" -o x
	[ "$status" -eq 0 ]
	[ "$output" = "" ]
	succeeds "$GOTAP" check "$SHARED/x"
	[ "$(stat -c '%a %u' "$SHARED/x")" = "666 0" ]
	nothing_beside
}

# started_wire: one that has begun to write $TRACE; what is written to descriptor 8 is its input.
started_wire() {
	mkfifo "$BATS_TEST_TMPDIR/in"
	"$GOTAP" wire "$BATS_TEST_TMPDIR/in" -o "$TRACE" 2>"$BATS_TEST_TMPDIR/said" 3>&- &
	WIRE=$!
	TARGETS=$WIRE
	exec 8>"$BATS_TEST_TMPDIR/in"
	wait_for 60 test -e "$TRACE.partial"
}

@test "a .partial file that another program replaced is neither renamed nor removed" {
	local text
	for text in "$("$GOTAP" text "$GOOD")" nonsense; do
		echo old >"$TRACE"
		started_wire
		mv "$TRACE.partial" "$BATS_TEST_TMPDIR/moved"
		echo theirs >"$TRACE.partial"
		echo "$text" >&8
		exec 8>&-
		status=0
		wait "$WIRE" || status=$?
		[ "$status" -eq 1 ]
		[ "$(cat "$TRACE")" = old ]
		[ "$(cat "$TRACE.partial")" = theirs ]
		[ "$text" = nonsense ] || grep -qx "gotap: cannot write '$TRACE': another program moved or replaced 'x.trace.partial' in the same folder meanwhile, which is left alone" "$BATS_TEST_TMPDIR/said"
		rm "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/moved" "$TRACE.partial"
	done
}

@test "names of 255 bytes: an unfinished file is moved aside, and found" {
	local name partial
	name=$(printf 'n%.0s' {1..255})
	partial=${name:0:247}.partial
	TRACE=$BATS_TEST_TMPDIR/$name
	cp "$GOOD" "$BATS_TEST_TMPDIR/$partial"
	gotap convert "$GOOD" -o "$TRACE"
	one_line 0 "gotap: '$BATS_TEST_TMPDIR/${name:0:245}.partial.1' is what a gotap wrote that was killed"
	mv "$BATS_TEST_TMPDIR/${name:0:245}.partial.1" "$BATS_TEST_TMPDIR/$partial"
	cmp "$GOOD" "$BATS_TEST_TMPDIR/$partial"
	succeeds "$GOTAP" check "$TRACE"
	contains "gotap: '$BATS_TEST_TMPDIR/$partial' is what a gotap wrote that was killed"
}

@test "raw records that are not there, but unfinished: the error says how to read them" {
	local command
	printf 'gotapspl and more' >"$BATS_TEST_TMPDIR/x.spool.partial"
	for command in "assemble -o $TRACE" records; do
		# shellcheck disable=SC2086
		gotap $command "$BATS_TEST_TMPDIR/x.spool"
		one_line 1 "gotap: cannot open '$BATS_TEST_TMPDIR/x.spool': No such file or directory; but '$BATS_TEST_TMPDIR/x.spool.partial' is what a gotap wrote that was killed: \`gotap assemble $BATS_TEST_TMPDIR/x.spool.partial -o FILE\` makes a trace of it"
	done
}

@test "a pipe of one's own: its reader gets the trace; without a reader that is an error" {
	mkfifo "$TRACE"
	cat "$TRACE" >"$BATS_TEST_TMPDIR/got" 3>&- &
	TARGETS=$!
	succeeds "$GOTAP" convert "$GOOD" -o "$TRACE"
	wait "$TARGETS"
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/got"
	run_logged timeout 60 "$GOTAP" convert "$GOOD" -o "$TRACE"
	one_line 1 "no process reads from this pipe"
}

@test "/dev/stdout behind what was printed there before" {
	succeeds "$GOTAP" convert "$GOOD" -o "$TRACE"
	{
		echo before
		"$GOTAP" convert "$GOOD" -o /dev/stdout
	} >"$BATS_TEST_TMPDIR/got"
	{
		echo before
		cat "$TRACE"
	} | cmp - "$BATS_TEST_TMPDIR/got"
}

# --- recordings --------------------------------------------------------------------------------

@test "a recording gets its name at its end; a second one to the same name is refused at its start" {
	mixed
	echo old >"$TRACE"
	start_record "$TRACE" -p "$TARGET"
	[ "$(cat "$TRACE")" = old ]
	gotap record -d 100ms -p "$TARGET" -o "$TRACE"
	one_line 1 "cannot write '$TRACE': another gotap is writing it"
	gotap record -d 100ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/other" --spool "$TRACE"
	one_line 1 "cannot write '$TRACE': another gotap is writing it"
	[ ! -e "$BATS_TEST_TMPDIR/other" ]
	[ "$(cat "$TRACE")" = old ]
	stop_record
	[ "$status" -eq 0 ]
	trace_ok "$TRACE"
	nothing_beside
}

@test "gotap is killed: what was written is beside the file that was there, and is a trace" {
	mixed
	echo old >"$TRACE"
	killed
	[ "$(cat "$TRACE")" = old ]
	succeeds "$GOTAP" convert "$TRACE.partial" -o "$TRACE.saved"
	trace_ok "$TRACE.saved"
	gotap check "$TRACE"
	contains "gotap: '$TRACE.partial' is what a gotap wrote that was killed: \`gotap convert $TRACE.partial -o FILE\` makes a trace of it"
	rm "$TRACE"
	gotap convert "$TRACE" -o "$TRACE.more"
	one_line 1 "cannot open '$TRACE': No such file or directory; but '$TRACE.partial' is what a gotap wrote that was killed"
	cp "$TRACE.partial" "$TRACE.copy"
	gotap record -q -d 50ms -p "$TARGET" -o "$TRACE"
	one_line 0 "gotap: '$TRACE.partial.1' is what a gotap wrote that was killed"
	cmp "$TRACE.copy" "$TRACE.partial.1"
	trace_ok "$TRACE"
	[ ! -e "$TRACE.partial" ]
}

@test "the disk is full before there is a trace: the file that was there stays" {
	mixed
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=8k none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs"
	TRACE=$BATS_TEST_TMPDIR/small/x
	echo old >"$TRACE"
	gotap record -q -d 120s -p "$TARGET" -o "$TRACE"
	one_line 1 "cannot write '$TRACE': No space left"
	[ "$(cat "$TRACE")" = old ]
	nothing_beside
}

@test "a limit of file sizes is as a full disk: the trace up to there is kept" {
	mixed
	run_logged bash -c "ulimit -f 300; exec '$GOTAP' record -q -d 120s -p $TARGET -o '$TRACE'"
	one_line 1 "cannot write '$TRACE': File too large"
	trace_ok "$TRACE"
	nothing_beside
	target_runs
}

@test "a file that another program makes meanwhile is left alone" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	echo new >"$TRACE"
	stop_record
	[ "$status" -eq 1 ]
	grep -q "'$TRACE' was made by another program meanwhile, and is left alone: see 'x.trace.partial'" "$REPORT"
	[ "$(cat "$TRACE")" = new ]
	trace_ok "$TRACE.partial"
	# where there was one that the recording would have replaced
	rm "$TRACE.partial"
	start_record "$TRACE" -p "$TARGET"
	echo newer >"$TRACE.newer"
	mv "$TRACE.newer" "$TRACE"
	stop_record
	[ "$status" -eq 1 ]
	grep -q "'$TRACE' was made by another program meanwhile" "$REPORT"
	[ "$(cat "$TRACE")" = newer ]
	trace_ok "$TRACE.partial"
}

# Capabilities are given up during a recording; the rename may take some.
@test "into another user's folder, and over that user's file in a shared one" {
	mixed
	mkdir "$BATS_TEST_TMPDIR/theirs"
	chown 65534 "$BATS_TEST_TMPDIR/theirs"
	chmod 755 "$BATS_TEST_TMPDIR/theirs"
	TRACE=$BATS_TEST_TMPDIR/theirs/x
	recorded "$TRACE" -p "$TARGET" -d 100ms
	trace_ok "$TRACE"
	chown 65534 "$TRACE"
	recorded "$TRACE" -p "$TARGET" -d 100ms
	[ "$(stat -c %u "$TRACE")" -eq 65534 ]
	nothing_beside
	recorded "$TRACE" -p "$TARGET" -d 100ms -e +linux
	[ -s "$TRACE.threads" ]
	! compgen -G "$TRACE*partial*"
}

@test "a file of threads: with its trace it goes, and an unfinished one is found" {
	mixed
	recorded "$TRACE" -p "$TARGET" -d 100ms -e +linux --spool "$BATS_TEST_TMPDIR/raw"
	cp "$TRACE" "$TRACE.partial"
	cp "$TRACE.threads" "$TRACE.threads.partial"
	succeeds "$GOTAP" report "$TRACE.partial"
	contains "THREADS, by Linux"
	succeeds "$GOTAP" record -q -p "$TARGET" -d 100ms -e +linux -o "$TRACE"
	contains "'$TRACE.threads.partial.1' is an unfinished file of threads, of a gotap that was killed: \`gotap report $TRACE.partial.1\` reads"
	recorded "$TRACE" -p "$TARGET" -d 100ms
	[ ! -e "$TRACE.threads" ]
	rm -f "$TRACE.partial"* "$TRACE.threads.partial"*
	# A file of raw records with this name is no file of threads: it stays.
	cp "$BATS_TEST_TMPDIR/raw" "$TRACE.threads"
	recorded "$TRACE" -p "$TARGET" -d 100ms
	cmp "$BATS_TEST_TMPDIR/raw" "$TRACE.threads"
	rm "$TRACE.threads"
	# Records without threads need no file of threads, so it does not matter that none can be made.
	mkdir "$TRACE.threads.partial"
	succeeds "$GOTAP" record -q -p "$TARGET" -d 100ms --spool "$BATS_TEST_TMPDIR/bare" -o "$TRACE"
	succeeds "$GOTAP" assemble -q "$BATS_TEST_TMPDIR/bare" -o "$TRACE"
	gotap assemble -q "$BATS_TEST_TMPDIR/raw" -o "$TRACE"
	[ "$status" -eq 1 ]
	contains "'x.trace.threads.partial' beside it"
	rmdir "$TRACE.threads.partial"
	# a name so long that nothing can be added to it
	local long=$BATS_TEST_TMPDIR/$(printf 'n%.0s' {1..250})
	succeeds "$GOTAP" assemble -q "$BATS_TEST_TMPDIR/bare" -o "$long"
	succeeds "$GOTAP" report "$long"
	cp "$TRACE" "$BATS_TEST_TMPDIR/piped"
	mkfifo "$BATS_TEST_TMPDIR/piped.threads"
	gotap report "$BATS_TEST_TMPDIR/piped"
	[ "$status" -eq 1 ]
	contains "is no regular file"
}
