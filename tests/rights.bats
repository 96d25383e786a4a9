#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The rights of each process of gotap are those of the table in docs/safety.md, and an exec gives none back.

load lib/common

setup() {
	require_root
	require_tool capsh script python3
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
	cd "$BATS_TEST_TMPDIR"
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
}

teardown() { stop_targets; }

# row COMMAND PROCESS: sets $ROW to the cells of the table: user, permitted, in effect, bounding set, no_new_privs, filter,
# root, open files.
row() {
	ROW=$(awk -F ' *[|] *' -v c="$1" -v p="$2" '$2 == c && $3 == p { print $4 "|" $5 "|" $6 "|" $7 "|" $8 "|" $9 "|" $10 "|" $11 }' \
		"$CHECKOUT/docs/safety.md")
	[ -n "$ROW" ] || fail "docs/safety.md has no row of $1, $2"
}

# names HEX: the capabilities of a set, as the table has them.
names() {
	local list
	[ "$1" != 0000000000000000 ] || { echo none; return; }
	[ "$1" != "$ALL" ] || { echo all; return; }
	list=$(capsh --decode="$1" | sed 's/.*=//; s/cap_//g' | tr , '\n' | sort | paste -sd' ')
	[ "$list" != "$STARTERS" ] || list=starters
	echo "$list"
}

# Those of the docs that root has here: in a container it may have fewer.
starters() {
	comm -12 <(sed -n 's/^starters: //p' "$CHECKOUT/docs/safety.md" | tr ' ' '\n') \
		<(capsh --decode="$ALL" | sed 's/.*=//; s/cap_//g' | tr , '\n' | sort) | paste -sd' '
}

field() { sed -n "s/^$2:[[:space:]]*//p" "$1/status"; }

# user_of FOLDER: all four user ids of a thread, if they are one.
user_of() {
	case $(field "$1" Uid | tr '\t' '\n' | sort -u) in
	"$EUID") echo "the user" ;;
	65534) echo nobody ;;
	*) field "$1" Uid ;;
	esac
}

# root_of FOLDER: the root of a thread, and whether there is something in it.
root_of() {
	if [ "$1/root" -ef / ]; then
		echo /
	elif [ -z "$(ls -A "$1/root/")" ]; then
		echo empty
	else
		readlink "$1/root"
	fi
}

# files_of FOLDER: the kinds of the open files of a thread; any: the row does not say.
files_of() {
	local fd
	[ "${ROW##*|}" != any ] || { echo any; return; }
	for fd in "$1"/fd/*; do
		fd=$(readlink "$fd") || continue
		case $fd in
		/dev/null) echo null ;;
		/dev/pts/*) echo terminal ;;
		socket:*) echo socket ;;
		pipe:*) echo pipe ;;
		"anon_inode:[eventfd]") echo eventfd ;;
		anon_inode:bpf*) echo bpf ;;
		"anon_inode:[pidfd]" | "/proc/$TARGET") echo process ;;
		"/memfd:gotap (deleted)") echo rings ;;
		"/proc/$TARGET/"*) echo memory ;;
		"$PROG") echo program ;;
		*) echo "$fd" ;;
		esac
	done | sort -u | paste -sd' '
}

# rights_of FOLDER: the cells of a thread.
rights_of() {
	echo "$(user_of "$1")|$(names "$(field "$1" CapPrm)")|$(names "$(field "$1" CapEff)")|$(names "$(field "$1" CapBnd)")|$(field "$1" NoNewPrivs)|$(field "$1" Seccomp)|$(root_of "$1")|$(files_of "$1")"
}

# threads_of PID NAME: the folders of all threads of that name, of the process and of its children. The threads of gotap
# itself have other names, and its rights.
threads_of() {
	local task comm
	for task in /proc/"$1"/task/* $(pgrep -P "$1" | sed 's|.*|/proc/&/task/*|'); do
		comm=$(cat "$task/comm" 2>/dev/null) || continue
		case $2:$comm in
		"$comm:$2" | "gotap:gotap-drain" | "gotap:gotap-gaps") echo "$task" ;;
		esac
	done
}

# has_rights COMMAND PID PROCESS: waits until all threads of that name are as the row says.
has_rights() {
	row "$1" "$3"
	wait_for 30 are_as_told "$2" "$3" || fail "$1, $3: not '$ROW' but $(for t in $(threads_of "$2" "$3"); do rights_of "$t"; done)"
}

are_as_told() {
	local task found=
	for task in $(threads_of "$1" "$2"); do
		found=yes
		[ "$(rights_of "$task")" = "$ROW" ] || return
	done
	[ -n "$found" ]
}

# gains_nothing COMMAND PID PROCESS: the process cannot exec, or the new program has no capability that the process has not.
gains_nothing() {
	local pid before after
	pid=$(basename "$(threads_of "$2" "$3" | head -n 1)")
	before=$(field "/proc/$pid" CapPrm)
	run_logged "$BATS_FILE_TMPDIR/force_exec" "$pid"
	[ "$status" -eq 0 ]
	[ "$output" != "refused: Operation not permitted" ] || return 0
	[ "${lines[0]}" = "done" ]
	kill -KILL "$pid"
	after=$(sed -n 's/^CapPrm:[[:space:]]*//p' <<<"$output")
	[ $((0x$after & ~0x$before)) -eq 0 ] || fail "$1, $3: $before became $after by exec"
	[ "$3" != gotap-prober ] || [ $((0x$after)) -eq 0 ]
}

# starts COMMAND...: gotap in the background, as $RUN.
starts() {
	ALL=$(field /proc/self CapBnd)
	STARTERS=$(starters)
	[ -e "$BATS_FILE_TMPDIR/force_exec" ] || "${CC:-cc}" -O1 -Wall -o "$BATS_FILE_TMPDIR/force_exec" "$CHECKOUT/tests/lib/force_exec.c"
	"$@" >run.log 2>&1 3>&- &
	RUN=$!
	TARGETS+=" $RUN"
}

@test "record" {
	starts "$GOTAP" record -p "$TARGET" -d 2m -o /dev/null
	has_rights record "$RUN" gotap-prober
	has_rights record "$RUN" gotap
	gains_nothing record "$RUN" gotap-prober
	gains_nothing record "$RUN" gotap
}

@test "record --attach inline" {
	require_inline
	starts "$GOTAP" record --attach inline -p "$TARGET" -d 2m -o /dev/null
	has_rights inline "$RUN" gotap-prober
	has_rights inline "$RUN" gotap
	has_rights inline "$RUN" gotap-guard
	gains_nothing inline "$RUN" gotap
	gains_nothing inline "$RUN" gotap-prober
}

@test "record --flight --exec: the command has the rights of the user" {
	starts "$GOTAP" record -p "$TARGET" --flight 5s --exec 'grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status >rights; :' -o '%n.trace'
	has_rights flight "$RUN" gotap-prober
	has_rights flight "$RUN" gotap
	has_rights flight "$RUN" gotap-exec
	wait_for 30 "$GOTAP" snap -p "$TARGET" >/dev/null
	wait_for 30 test -s rights
	wait_for 5 eval 'diff rights <(grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status)'
	gains_nothing flight "$RUN" gotap
}

@test "record --follow" {
	starts "$GOTAP" record --follow -q -o '%n.trace' -- sh -c 'grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status >rights; exec sleep 60'
	has_rights follow "$RUN" gotap-catch
	wait_for 30 test -s rights
	has_rights follow "$RUN" gotap
	diff rights <(grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status)
	gains_nothing follow "$RUN" gotap
}

@test "a launched program has the rights of the user" {
	starts "$GOTAP" record -q -o /dev/null -d 1s -- "$PROG"
	wait_for 30 eval 'pgrep -P $RUN -x pingpong >launched'
	wait_for 30 eval 'grep -q "^CapPrm:.*0000000000080000$" /proc/$RUN/status'
	diff <(grep -E "^(Cap|NoNew|Seccomp:)" "/proc/$(cat launched)/status") <(grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status)
	kill "$(cat launched)"	# gotap waits for it
}

@test "serve" {
	starts "$GOTAP" serve --listen unix:"$BATS_TEST_TMPDIR/socket"
	has_rights serve "$RUN" gotap
	has_rights serve "$RUN" gotap-http
	gains_nothing serve "$RUN" gotap-http
	gains_nothing serve "$RUN" gotap
}

@test "heap --switch-on" {
	starts "$GOTAP" heap -p "$TARGET" --switch-on --diff 2m
	has_rights heap "$RUN" gotap-heap
	gains_nothing heap "$RUN" gotap-heap
	kill -INT "$RUN"
	wait "$RUN" || true
}

@test "top" {
	starts script -qec "TERM=xterm '$GOTAP' top -p $TARGET" /dev/null
	wait_for 30 eval 'TOP=$(pgrep -f "^$GOTAP top -p $TARGET" | head -n 1) && [ -n "$TOP" ]'
	has_rights top "$TOP" gotap
	has_rights top "$TOP" gotap-terminal
	gains_nothing top "$TOP" gotap-terminal
}

@test "the table has a row for each of these commands, and no other" {
	local commands
	commands=$(awk -F ' *[|] *' '/^[|] command/ { on = 1 } on && !/^[|]/ { exit } on && $2 !~ /^(command|---)$/ { print $2 }' \
		"$CHECKOUT/docs/safety.md" | sort -u | paste -sd' ')
	[ "$commands" = "flight follow heap inline record serve top" ]
}
