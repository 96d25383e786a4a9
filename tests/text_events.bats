#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap text --events: the JSON form beside what internal/trace of Go gives of the same trace, byte for byte; the form
# for persons, filters, damage, and odd strings.

load lib/common
load lib/v1

VECTORS=$CHECKOUT/tests/vectors

# go_events FILE: what the reference release gives of it, as $GO_EVENTS.
go_events() {
	oracle "$REFERENCE_GO"
	GO_EVENTS=$BATS_TEST_TMPDIR/go.json
	GO_STATUS=0
	"$ORACLE/events" "$1" >"$GO_EVENTS" 2>"$BATS_TEST_TMPDIR/go.err" || GO_STATUS=$?
}

# our_events FILE: the same by gotap, as $OUR_EVENTS.
our_events() {
	OUR_EVENTS=$BATS_TEST_TMPDIR/our.json
	OUR_STATUS=0
	"$GOTAP" text --events --json "$1" >"$OUR_EVENTS" 2>"$BATS_TEST_TMPDIR/our.err" || OUR_STATUS=$?
}

# same_as_go FILE: the same events, up to the same fault. Where Go's reader panics, what it printed before.
same_as_go() {
	go_events "$1"
	our_events "$1"
	if grep -q '^events: panic' "$BATS_TEST_TMPDIR/go.err"; then
		head -c "$(stat -c %s "$GO_EVENTS")" "$OUR_EVENTS" | cmp - "$GO_EVENTS" || fail "$1"
		return
	fi
	[ "$OUR_STATUS" -eq "$GO_STATUS" ] && cmp "$OUR_EVENTS" "$GO_EVENTS" || fail "$1"
}

# An event of each kind, and odd strings; and how it is shown.
TRACE=$VECTORS/ok_all_kinds.trace
SHOWN=$CHECKOUT/tests/fixtures/ok_all_kinds.shown

# shown ARG...: the events of $TRACE that these arguments leave: ns since its thread began, and event.
shown() {
	"$GOTAP" text --events --no-stacks --json "$TRACE" "$@" | jq -r '"\(.time - 2000) \(.event)"' | paste -sd ' '
}

nothing_shown() { succeeds "$GOTAP" text --events "$TRACE" "$@" && [ -z "$output" ]; }

# --- beside Go -----------------------------------------------------------------------------------

# same_as_tool VERSION TRACE: $OUR_EVENTS are what that release's own go tool trace prints. What differs between releases
# in the form is left out: Syncs, pcs, the place of the reason, the kind of a value.
same_as_tool() {
	local mode=parsed
	case $1 in
	1.22 | 1.23) mode=1 ;;
	esac
	require_go "$1"
	go_tool trace -d=$mode "$2" | sed -E '/^$/d; / Sync Time=/d; s/ @ 0x[0-9a-f]+$//
		s/Value\{(Uint64\([0-9]*\))\}/\1/g
		s/ Resource=(Goroutine|Proc)\([0-9-]*\) Reason=("[^"]*")( (GoID|ProcID)=.*)/\3 Reason=\2/' >"$BATS_TEST_TMPDIR/tool"
	jq --argjson minor "${1#1.}" -rf "$CHECKOUT/tests/lib/parsed.jq" "$OUR_EVENTS" >"$BATS_TEST_TMPDIR/parsed"
	cmp "$BATS_TEST_TMPDIR/tool" "$BATS_TEST_TMPDIR/parsed"
}

for_release() {
	local trace=$BATS_TEST_TMPDIR/t.trace
	build_prog "$1" mixed
	"$PROG" -trace "$trace" -delay 20ms -dur 150ms -rounds 300 -tail 0 >/dev/null
	same_as_go "$trace"
	[ "$(wc -l <"$OUR_EVENTS")" -gt 100 ]
	same_as_tool "$1" "$trace"
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "the events of a trace of Go % are those that Go gives" { for_release %; }
@test "the events of a trace of Go 1.22 are those that Go gives" { for_release 1.22; }
# bats test_tags=soak-only
@test "the events of a trace of Go 1.23 are those that Go gives" { for_release 1.23; }
# bats test_tags=soak-only
@test "the events of a trace of Go 1.24 are those that Go gives" { for_release 1.24; }
# bats test_tags=soak-only
@test "the events of a trace of Go 1.25 are those that Go gives" { for_release 1.25; }
# bats test_tags=soak-only
@test "the events of a trace of Go 1.26 are those that Go gives" { for_release 1.26; }
@test "the events of a trace of Go 1.27 are those that Go gives" { for_release 1.27; }
# end of releases

@test "events of an experiment and the size of its data are those that Go gives" {
	local trace=$BATS_TEST_TMPDIR/t.trace
	build_prog "$REFERENCE_GO" mixed
	GODEBUG=traceallocfree=1 "$PROG" -trace "$trace" -delay 20ms -dur 200ms -rounds 300 -tail 0 >/dev/null
	same_as_go "$trace"
	grep -q '"event":"HeapObjectAlloc".*"args":{"id":[0-9]*,"type":[0-9]*}' "$OUR_EVENTS"
	grep -q '"batches":\[{"experiment":1,"m":null,"bytes":[1-9]' "$OUR_EVENTS"
}

# begins_as_go FILE: gotap refuses an event that the reference release takes, and gives the same events ahead of it.
begins_as_go() {
	go_events "$1"
	our_events "$1"
	[ "$OUR_STATUS" -eq 1 ] || fail "$1"
	[ -s "$OUR_EVENTS" ] || fail "$1"
	head -c "$(stat -c %s "$OUR_EVENTS")" "$GO_EVENTS" | cmp - "$OUR_EVENTS" || fail "$1"
}

# The header of bad_post22_* is that of Go 1.22, which refuses the event; later releases do not look at it.
@test "the events of all vectors, good or bad, are those that Go gives" {
	local file n=0
	for file in "$VECTORS"/*.trace; do
		case $file in
		*/bad_post22_*) begins_as_go "$file" ;;
		*) same_as_go "$file" ;;
		esac
		n=$((n + 1))
	done
	[ "$n" -gt 100 ]
}

@test "the events of Go's own test traces are those that Go gives" {
	local file n=0
	require_go "$REFERENCE_GO"
	for file in "${GO%/bin/go}"/src/internal/trace/testdata/tests/*.test; do
		"$GOTAP" wire "$file" -o "$BATS_TEST_TMPDIR/t.trace"
		same_as_go "$BATS_TEST_TMPDIR/t.trace"
		n=$((n + 1))
	done
	[ "$n" -ge 19 ]
}

# The conversion of v1 that both readers see is tested in v1.bats.
@test "the events of a trace of Go 1.11 to 1.21 are those that Go gives of it" {
	local old n=0
	require_go "$REFERENCE_GO"
	for old in "${GO%/bin/go}"/src/internal/trace/internal/tracev1/testdata/*_good; do
		# as long as those of 1.11 and 1.21; others of 1.19 are short
		[[ $old != */stress_1_19_good ]] || continue
		go_events "$old"
		our_events "$old"
		[ "$OUR_STATUS" -eq 0 ]
		python3 "$CHECKOUT/tests/lib/canonical_events.py" go "$GO_EVENTS" >"$BATS_TEST_TMPDIR/a"
		python3 "$CHECKOUT/tests/lib/canonical_events.py" ours "$OUR_EVENTS" >"$BATS_TEST_TMPDIR/b"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/a")" -gt 25 ]
		diff "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" | head -n 5 | grep . && fail "$old"
		"$GOTAP" convert "$old" -o "$BATS_TEST_TMPDIR/new.trace"
		go_events "$BATS_TEST_TMPDIR/new.trace"
		cmp "$OUR_EVENTS" "$GO_EVENTS"
		n=$((n + 1))
	done
	[ "$n" -ge 11 ]
}

# --- the form for persons ------------------------------------------------------------------------

@test "an event of each kind as a line, with its stack below" {
	"$GOTAP" text --events "$TRACE" | diff "$SHOWN" -
	"$GOTAP" text --events - <"$TRACE" | diff "$SHOWN" -
	"$GOTAP" text --events --no-stacks "$TRACE" | diff <(grep -v "^$(printf '\t')" "$SHOWN") -
	"$GOTAP" text --events --absolute "$TRACE" | grep -q '^0.000002024 M7       P0  -       GoStart  '
	gotap text --events "$TRACE" -o "$BATS_TEST_TMPDIR/file"
	[ "$status" -eq 0 ]
	cmp "$BATS_TEST_TMPDIR/file" "$SHOWN"
}

# A text of the trace that had its way could end a line or command a terminal.
@test "no text of a trace leaves its quotes" {
	"$GOTAP" text --events "$TRACE" >"$BATS_TEST_TMPDIR/text"
	[ "$(LC_ALL=C tr -dc '\000-\010\013-\037\177\376\377' <"$BATS_TEST_TMPDIR/text" | wc -c)" -eq 0 ]
	"$GOTAP" text --events --json "$TRACE" >"$BATS_TEST_TMPDIR/text"
	[ "$(LC_ALL=C tr -dc '\000-\011\013-\037\177\376\377' <"$BATS_TEST_TMPDIR/text" | wc -c)" -eq 0 ]
	"$GOTAP" text --events --json "$TRACE" | jq -r 'select(.event == "UserLog") | .message' >"$BATS_TEST_TMPDIR/message"
	printf '\xef\xbf\xbd\xef\xbf\xbd ok \0 \xe2\x80\xa8 \xf0\x9f\x9a\x80 \xf3\xa0\x80\x81\n' | cmp - "$BATS_TEST_TMPDIR/message"
}

@test "each line of --json is an object with the same first keys" {
	local file
	for file in "$VECTORS"/ok_*.trace; do
		"$GOTAP" text --events --json "$file"
	done | jq -c 'keys_unsorted[:6]' | sort -u >"$BATS_TEST_TMPDIR/keys"
	[ "$(<"$BATS_TEST_TMPDIR/keys")" = '["time","m","p","g","event","kind"]' ]
}

# --- links ---------------------------------------------------------------------------------------

# links_right MODE FILE...: what tests/lib/event_links.py says of its links.
links_right() { python3 "$CHECKOUT/tests/lib/event_links.py" "$@" || fail "$*"; }

@test "the link of an event is the earlier one that it ends or follows" {
	local file json=$BATS_TEST_TMPDIR/links.json
	for file in "$VECTORS"/ok_*.trace; do
		"$GOTAP" text --events --json --links "$file" >"$BATS_TEST_TMPDIR/${file##*/}.json"
		"$GOTAP" text --events --json "$file" >>"$BATS_TEST_TMPDIR/without"
	done
	[ "$(links_right same "$BATS_TEST_TMPDIR"/ok_*.json)" -ge 80 ]
	# nothing else is different
	sed -E 's/,"link":\{"time":[0-9]+,"event":"[A-Za-z]+"\}//' "$BATS_TEST_TMPDIR"/ok_*.json | cmp - "$BATS_TEST_TMPDIR/without"
	require_go "$REFERENCE_GO"
	for file in annotations-stress gc-stress task-across-generations; do
		"$GOTAP" wire "${GO%/bin/go}/src/internal/trace/testdata/tests/go122-$file.test" -o "$BATS_TEST_TMPDIR/t.trace"
		"$GOTAP" text --events --json --links --no-stacks "$BATS_TEST_TMPDIR/t.trace" >"$json"
		[ "$(links_right same "$json")" -ge 1 ]
	done
}

@test "a trace of before Go 1.22 has the links that --links shows" {
	local file n=0 pairs=()
	v1_traces
	for file in "$V1_TRACES"/{http,stress_start_stop,user_task_region}_*_good; do
		"$GOTAP" text --events --json --links --no-stacks "$file" >"$BATS_TEST_TMPDIR/$n.json"
		"$GOTAP" text --links "$file" >"$BATS_TEST_TMPDIR/$n.old"
		pairs+=("$BATS_TEST_TMPDIR/$n.json" "$BATS_TEST_TMPDIR/$n.old")
		n=$((n + 1))
	done
	links_right same "$BATS_TEST_TMPDIR"/*.json
	[ "$(links_right v1 "${pairs[@]}")" -ge 500 ]
}

@test "a link stands behind its line, on the same clock, whatever is left out" {
	"$GOTAP" text --events --links "$TRACE" | sed -E 's/  <- [0-9.]+ [A-Za-z]+$//' | diff "$SHOWN" -
	"$GOTAP" text --events --links "$TRACE" | grep -q ' GoUnblock          G1 Waiting->Runnable  <- 0.000001023 GoBlock$'
	"$GOTAP" text --events --links --absolute "$TRACE" | grep -q ' GoStart            G9 Runnable->Running  <- 0.000002021 GoCreate$'
	[ "$("$GOTAP" text --events --links --no-stacks "$TRACE" --kind GoStop --from 1s)" = \
		'1.000000027 M7       P0  G9      GoStop             G9 Running->Runnable "preempted"  <- 1.000000025 GoSyscallEnd' ]
	[ "$("$GOTAP" text --events --links --json "$TRACE" --kind UserTaskEnd | jq -c .link)" = '{"time":2016,"event":"UserTaskBegin"}' ]
}

# --- filters -------------------------------------------------------------------------------------

@test "filters leave what they name, and all must agree" {
	# what happens on a goroutine, and what moves it
	[ "$(shown -g 9)" = "21 GoCreate 24 GoStart 999999024 GoSyscallBegin 999999025 GoSyscallEnd 999999026 GoUnblock 999999027 GoStop 999999500 CPUSample" ]
	[ "$(shown --goroutine 9 --kind GoCreate,GoUnblock)" = "21 GoCreate 999999026 GoUnblock" ]
	[ "$(shown -g 1 -g 9 --kind StateTransition --from 1s)" = "999999024 GoSyscallBegin 999999025 GoSyscallEnd 999999026 GoUnblock 999999027 GoStop" ]
	[ "$(shown --proc 0 --kind ProcStatus,GoStart)" = "1 ProcStatus 24 GoStart" ]
	nothing_shown --proc 3
	[ "$(shown --thread 7 --kind CPUSample,Sync)" = "999999500 CPUSample" ]
	[ "$(shown --kind RangeBegin)" = "4 STWBegin 6 GCBegin 9 GCMarkAssistBegin 11 GCSweepBegin" ]
	[ "$(shown --kind Metric,Log --kind Label)" = "3 ProcsChange 7 HeapAlloc 8 HeapGoal 14 GoLabel 18 UserLog" ]
	[ "$(shown --kind Experimental)" = "22 SpanAlloc" ]
	# the stack of what is created counts, too
	[ "$(shown --func 'wor.ker$' --to 1)" = "21 GoCreate" ]
	[ "$(shown --func 'wor.ker$' --from 1)" = "999999024 GoSyscallBegin 999999026 GoUnblock 999999027 GoStop 999999500 CPUSample" ]
	[ "$(shown --func '^main[.][(][*]T.*run$' --kind StateTransition)" = "21 GoCreate 23 GoBlock" ]
	nothing_shown --func 'nothing|of it'
}

@test "a filter that cannot be is wrong usage" {
	gotap text --events "$TRACE" --kind GoBlock,GoBlok
	[ "$status" -eq 2 ]
	contains "there is no event 'GoBlok': use names as GoBlock"
	gotap text --events "$TRACE" --kind ''
	[ "$status" -eq 2 ]
	gotap text --events "$TRACE" --func '('
	[ "$status" -eq 2 ]
	contains "--func '(': "
	gotap text --events "$TRACE" -g x
	[ "$status" -eq 2 ]
	contains "--goroutine needs a number, not 'x'"
	gotap text --events "$TRACE" --from soon
	[ "$status" -eq 2 ]
	contains "--from needs a time like 1.5s or 200ms, not 'soon'"
	gotap text "$TRACE" --json
	[ "$status" -eq 2 ]
	contains "--json is for --events"
	gotap text --events
	[ "$status" -eq 2 ]
}

# --- damage and pipes ----------------------------------------------------------------------------

@test "all up to the damage is shown, then one error" {
	local whole=$BATS_TEST_TMPDIR/whole out=$BATS_TEST_TMPDIR/out status=0
	"$GOTAP" text --events "$VECTORS/bad_gocreate_exists.trace" >"$out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$out")" -eq 3 ]
	[ "$(<"$BATS_TEST_TMPDIR/err")" = "gotap: $VECTORS/bad_gocreate_exists.trace: generation 1, byte 63: GoCreate new_g=1 new_stack=0 stack=0: tried to create goroutine (1) that already exists" ]
	# a file keeps what it had
	echo before >"$whole"
	gotap text --events "$VECTORS/bad_gocreate_exists.trace" -o "$whole"
	[ "$status" -eq 1 ]
	[ "$(<"$whole")" = before ]
	gotap text --events "$CHECKOUT/Makefile"
	[ "$status" -eq 1 ]
	contains "not a Go execution trace"
	gotap text --events "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
}

@test "a trace of before Go 1.22 that breaks off is shown up to there" {
	local old out=$BATS_TEST_TMPDIR/out status=0
	require_go "$REFERENCE_GO"
	old=${GO%/bin/go}/src/internal/trace/internal/tracev1/testdata/stress_1_11_good
	head -c 300000 "$old" >"$BATS_TEST_TMPDIR/cut"
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/cut" >"$out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$out")" -gt 100 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
	[ "$(<"$BATS_TEST_TMPDIR/err")" = "gotap: $BATS_TEST_TMPDIR/cut: failed to read trace at offset 0x493e0: the file ends inside a value; the speed of its clock is lost, times are shown in ticks" ]
	# what is shown is what is kept of it
	"$GOTAP" convert "$BATS_TEST_TMPDIR/cut" -o "$BATS_TEST_TMPDIR/kept" 2>/dev/null
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/kept" | cmp - "$out"
}

@test "of a damaged trace of before Go 1.22 what is kept behind the damage is shown, too" {
	local old bad=$BATS_TEST_TMPDIR/bad out=$BATS_TEST_TMPDIR/out status=0
	require_go "$REFERENCE_GO"
	old=${GO%/bin/go}/src/internal/trace/internal/tracev1/testdata/stress_1_21_good
	cp "$old" "$bad"
	head -c 100 /dev/zero | dd of="$bad" bs=1 seek=150000 conv=notrunc status=none
	"$GOTAP" text --events "$bad" >"$out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
	grep -q "^gotap: $bad: damaged in 1 place, shown is what can be read: " "$BATS_TEST_TMPDIR/err"
	"$GOTAP" convert "$bad" -o "$BATS_TEST_TMPDIR/kept" 2>/dev/null
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/kept" | cmp - "$out"
}

@test "a reader that has enough ends it, and a full disk is an error" {
	local trace=$BATS_TEST_TMPDIR/t.trace
	build_prog "$REFERENCE_GO" mixed
	"$PROG" -trace "$trace" -delay 20ms -dur 300ms -rounds 300 -tail 0 >/dev/null
	env --default-signal=PIPE "$GOTAP" text --events "$trace" 2>"$BATS_TEST_TMPDIR/err" | head -n 1 | grep -q ' Sync '
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	gotap text --events "$trace" -o /dev/full
	[ "$status" -eq 1 ]
	contains "cannot write '/dev/full': No space left on device"
}
