# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the bats files that record: load after lib/common.
#
# With ATTACH=inline in the environment these functions record with --attach inline, and fail if gotap did not do so, or
# has left anything in the program (lib/inline). tests/inline_again.bats runs the tests with the tag "inline" this way.
# A program may then make 10 million records a second: the rings are large enough for the time in which gotap waits for
# a CPU.

load "${BASH_SOURCE[0]%/*}/text"
load "${BASH_SOURCE[0]%/*}/inline"

# The releases whose own traces have the format that gotap writes.
RELEASES=()
for release in "${ALL_GO[@]}"; do
	[ "${release#1.}" -lt 22 ] || RELEASES+=("$release")
done
unset release

# record TRACE ARGUMENT...: gotap record -o TRACE ... with a report as JSON in $REPORT. Sets $status. Whatever the
# probes cost, unless the arguments say otherwise: the programs of tests do nothing but what is recorded.
record() {
	local trace=$1
	shift
	REPORT=$trace.json
	status=0
	# shellcheck disable=SC2086
	"$GOTAP" record -o "$trace" --json --budget none ${ATTACH:+--attach $ATTACH --ring-size 64M} "$@" 2>"$REPORT" || status=$?
	printf '$ gotap record -o %s %s\n%s\n(status %s)\n' "$trace" "${ATTACH:+--attach $ATTACH }$*" "$(cat "$REPORT")" "$status"
	judge_attach
}

# A recording that failed has nothing to say of it.
judge_attach() { [ "${ATTACH:-}" != inline ] || [ "$status" -ne 0 ] || was_inline; }

# recorded TRACE ARGUMENT...: and it lost and repaired nothing.
recorded() {
	record "$1" --strict "${@:2}"
	[ "$status" -eq 0 ] || fail "not a flawless recording: $(flaws)"
}

# shared_recording VERSION PROGRAM [ARGUMENT...]: sets $SHARED to a flawless trace of 150 ms of that program, beside which
# are its raw records, $SHARED.spool. It is made once in a run (tests/run, or one call of bats) for all files that need some
# recording and not one of their own; nobody writes to it. Sets $PROG.
shared_recording() {
	local arguments=$*
	build_prog "$1" "$2"
	SHARED=$ONCE/${arguments//[^A-Za-z0-9.-]/_}.trace
	[ ! -s "$SHARED" ] || return 0
	require_root
	( flock 9 && { [ -s "$SHARED" ] || make_shared "${@:3}"; } ) 9>"$SHARED.lock"
}

# In a subshell, of which teardown knows no target. The trace gets its name when all is there.
make_shared() {
	local done=1 ATTACH=
	start_target "$PROG" "$@" && recorded "$SHARED.new" -p "$TARGET" -d 150ms --spool "$SHARED.spool" && done=0
	stop_targets
	[ "$done" -eq 0 ] && chmod a-w "$SHARED.new" "$SHARED.spool" && mv "$SHARED.new" "$SHARED"
}

# What the last report tells of losses and repairs, or the error that is there in its place.
flaws() {
	grep -oE '"(lost|stacks_lost|repairs_total|notes|budget_slices)": [1-9][0-9]*|"[^"]* [^"]*": [1-9][0-9]*' "$REPORT" | paste -sd ' ' |
		grep . || tail -n 1 "$REPORT"
}

# recorded_at_random ROUNDS LONGEST TRACE ARGUMENT...: five a round, TRACE.1 and on, each of at most LONGEST ms, from
# random moments on and side by side: most of an attach is waiting for the kernel.
recorded_at_random() {
	local rounds=$1 longest=$2 trace=$3 round i n=0 pids length
	shift 3
	for ((round = 0; round < rounds; round++)); do
		for i in {1..5}; do
			n=$((n + 1))
			length=$((longest / 3 + RANDOM % (longest * 2 / 3)))
			"$GOTAP" record --budget none --strict --json "$@" -o "$trace.$n" -d "${length}ms" 3>&- \
				2>"$trace.report.$i" &
			pids[i]=$!
			sleep "0.0$((RANDOM % 10))"
		done
		for i in {1..5}; do
			wait "${pids[i]}" || fail "one of round $round: $(cat "$trace.report.$i")" || return
		done
	done
	rm "$trace.report".*
}

# start_record TRACE ARGUMENT...: the same in the background, as $RECORDER, once it records: its probes are in place and
# the goroutines are read. From then on a signal ends it with a trace. The file of the report is made here: what an
# earlier recording reported is not this one's, and what was there as TRACE is older.
start_record() {
	local trace=$1
	shift
	REPORT=$trace.json
	: >"$REPORT"
	STALE_PARTIAL=$(inode_of "$trace.partial")
	# shellcheck disable=SC2086
	"$GOTAP" record -o "$trace" --json --budget none ${ATTACH:+--attach $ATTACH --ring-size 64M} "$@" 2>>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS="${TARGETS:-} $RECORDER"
	wait_for 60 recorder_records
}

inode_of() { stat -c %i "$1" 2>/dev/null || true; }

# gotap makes the file that gets the name at the end, and writes the header of the trace to it, when it has read the
# goroutines. A short recording may be over, with its report, before anybody looks.
recorder_records() {
	local trace=${REPORT%.json}
	{ [ -s "$trace.partial" ] && [ "$(inode_of "$trace.partial")" != "$STALE_PARTIAL" ]; } ||
		[ "$trace" -nt "$REPORT" ] || { [ -s "$REPORT" ] && grep -q '"repairs_total"' "$REPORT"; } || ! target_runs "$RECORDER"
}

# wait_record: until it ends. Sets $status.
wait_record() {
	status=0
	wait "$RECORDER" || status=$?
	printf 'gotap record ended with status %s: %s\n' "$status" "$(cat "$REPORT")"
	judge_attach
}

# stop_record [SIGNAL]: ends it (INT), and waits for it. Sets $status.
stop_record() {
	kill "-${1:-INT}" "$RECORDER"
	wait_record
}

# send SIGNAL: to the recorder; returns when the recorder has received it, so that a second signal comes after it.
send() {
	kill "-$1" "$RECORDER"
	wait_for 60 has_got "$1"
}

# has_got SIGNAL: it is not pending any more, as it is until a thread of the recorder gets a CPU.
has_got() {
	local pending bit=$((1 << ($(kill -l "$1") - 1)))
	pending=$(awk '$1 == "ShdPnd:" { print $2 }' "/proc/$RECORDER/status" 2>/dev/null)
	[ $((0x${pending:-0} & bit)) -eq 0 ]
}

# holdable COMMAND...: runs COMMAND, which starts a recorder, with lib/hold_drain.c: the recorder's thread gotap-drain,
# which empties the rings and ends the capture, sleeps from hold_drain to let_drain_go; or from its begin on, if
# want_hold came before.
holdable() {
	local library=$BATS_TEST_TMPDIR/hold_drain.so
	require_tool cc
	[ -s "$library" ] || cc -O1 -shared -fPIC -o "$library" "$CHECKOUT/tests/lib/hold_drain.c" -ldl
	LD_PRELOAD=$library GOTAP_TEST_HOLD=$BATS_TEST_TMPDIR/hold "$@"
}

want_hold() { : >"$BATS_TEST_TMPDIR/hold"; }

hold_drain() {
	want_hold
	wait_for 60 test -e "$BATS_TEST_TMPDIR/hold.held"
}

let_drain_go() { rm -f "$BATS_TEST_TMPDIR/hold"; }

# looks: how often the recorder's first thread has slept: it looks at the time and at signals after each sleep.
looks() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$RECORDER/status"; }

has_looked() { [ "$(looks)" -ge "$1" ]; }

# handles SIGNAL: sends it to the recorder, and returns when the recorder has gone on from it: it has
# taken the time of the signal by then.
handles() {
	send "$1"
	wait_for 60 has_looked $(($(looks) + 3))
}

# cpu_ms [PID]: the CPU time that the target has used. That goes on however busy the machine is, and
# so does what the program does.
cpu_ms() {
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) * 1000 / hz) }' "/proc/${1:-$TARGET}/stat"
}

has_used_ms() { [ "$(cpu_ms)" -ge "$1" ]; }

# reported FIELD: prints one field of the last report.
reported() { sed -nE "s/.*\"$1\": (\"([^\"]*)\"|([^,}]*)).*/\2\3/p" "$REPORT"; }

# has_bytes FILE N: FILE has at least N bytes. For wait_for, as until a recording has a generation.
has_bytes() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]; }

# has_read N: gotap has read all states N times, by the notes in the trace so far, which has their texts uncompressed.
has_read() { [ "$(readings)" -ge "$1" ]; }

readings() { cat "$TRACE" "$TRACE.partial" 2>/dev/null | grep -aoE 'not recorded from [0-9.]+ s to' | wc -l; }

# notes [REGEX]: the log events of category gotap, "NANOSECONDS TEXT", of those texts that match.
notes() {
	"$ORACLE/check" -logs "$TRACE" | sed -n 's/^log \([0-9]*\) gotap /\1 /p' | grep -E -- "^[0-9]+ ${1:-}" || true
}

# turned: the program turn has changed what all of its goroutines do.
turned() { grep -qx turned "$TARGET_OUT"; }

# states FILE FIELD [OTHER]: prints the goroutines of the program turn with their first (FIELD 3) or last state (4), but
# for those that run or talk all the time. OTHER is a trace of the same goroutines with all stacks: the name of one that
# is runnable for all of FILE is only there.
states() {
	{
		"$ORACLE/check" -goroutines "${3:-$1}" | sed -n 's/^goroutine \([0-9]*\) .*talker.*/talker \1/p'
		"$ORACLE/check" -goroutines "$1"
	} | awk -v field="$2" '
		$1 == "talker" { talks[$2] }
		$1 == "goroutine" && !($2 in talks) && $5 !~ /talker|main.main$|^name=runtime/ {
			state = $field; sub(/.*=/, "", state)
			if (state != "NotExist" && state != "Undetermined") print $2, state }' | sort
}

# readable_from VERSION FILE: by the readers of that and every later release.
readable_from() {
	local version
	for version in "${RELEASES[@]}"; do
		[ "${version#1.}" -lt "${1#1.}" ] || readable_by "$version" "$2" || return
	done
}

# goroutines_of FILE: the ids that the trace speaks of, sorted.
goroutines_of() {
	"$ORACLE/check" -goroutines "$1" | awk '$1 == "goroutine" { print $2 }' | sort
}

# note_programs: remembers the BPF programs that the recorder holds, so that no_program_left can look for them. Others
# may record at the same time.
note_programs() {
	PROGRAMS=$(cat "/proc/$RECORDER/fdinfo/"* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }')
	[ -n "$PROGRAMS" ] || fail "the recorder holds no BPF program"
}

no_program_left() {
	local id
	for id in $PROGRAMS; do
		! PATH=$PATH:/usr/sbin bpftool prog show id "$id" >/dev/null 2>&1 || return
	done
}

# text_of_target FILE: the code that the target runs, as it is in its memory now.
text_of_target() {
	local start end
	IFS='- ' read -r start end _ < <(grep ' r-xp .*'"$(basename "$PROG")" "/proc/$TARGET/maps")
	dd if="/proc/$TARGET/mem" of="$1" bs=4096 skip=$((0x$start / 4096)) count=$((0x$end / 4096 - 0x$start / 4096)) status=none
}

text_is_as_before() {
	text_of_target "$BATS_TEST_TMPDIR/text.now"
	cmp -s "$BATS_TEST_TMPDIR/text.before" "$BATS_TEST_TMPDIR/text.now"
}
