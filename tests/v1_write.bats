#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Traces in the formats of Go 1.8, 1.11, 1.19 and 1.21, recorded, assembled and converted: the parsers of the releases
# that wrote them take them, and compute what is in the v2 trace of the same recording. Trace files are in
# v1_write_files.bats.

load lib/common
load lib/record
load lib/differential
load lib/v1_formats

setup() { T=$BATS_TEST_TMPDIR; }
teardown() {
	stop_targets
	! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

# profile VERSION KIND TRACE: where goroutines wait, as `go tool trace -pprof` of that release has it, a line for each
# leaf: the time in ns, and the function.
profile() {
	require_go "$1"
	go_tool trace "-pprof=$2" "$3" >"$T/pprof"
	require_go "$REFERENCE_GO"
	go_tool pprof -top -unit ns -nodecount 10000 -nodefraction 0 "$T/pprof" 2>"$T/err" |
		awk 'rows && $1 + 0 { print $1 + 0, $6 } $1 == "flat" { rows = 1 }' | sort -k 2
}

# same_profiles V2-TRACE V1-TRACE VERSION: go tool trace of that release and that of today agree on each function that
# takes more than 1 % of the waits for others, and for the network if the program uses it.
same_profiles() {
	local kind
	for kind in sync net; do
		[ -e "$T/v2.$kind" ] || profile "$REFERENCE_GO" "$kind" "$1" >"$T/v2.$kind"
		[ "$kind" != net ] || [ -s "$T/v2.$kind" ] || continue
		profile "$3" "$kind" "$2" >"$T/v1.$kind"
		run_logged awk '
			function off(a, b) { return a > b ? a - b : b - a }
			NR == FNR { v1[$2] = $1; next }
			{ v2[$2] = $1; total += $1 }
			END {
				for (f in v2)
					if (v2[f] > total / 100) { functions++; if (off(v1[f], v2[f]) > v2[f] / 50) { bad++; print f, v1[f] + 0, v2[f] } }
				print functions " functions, " bad + 0 " differences"
				exit bad || !functions
			}' "$T/v1.$kind" "$T/v2.$kind"
		[ "$status" -eq 0 ] || fail "profile of $kind, go tool trace of Go $3"
	done
}

# recorded_once VERSION PROGRAM GROUPS: keeps the raw records in $T/spool.
recorded_once() {
	build_prog "$1" "$2"
	start_target "$PROG" "${@:4}"
	recorded "$T/live.trace" -e "$3" --spool "$T/spool" -d 400ms -p "$TARGET"
	stop_target
}

# both_ways VERSION PROGRAM GROUPS: one recording as v2 and in all old formats, directly and by way of v2.
both_ways() {
	local format
	recorded_once "$@"
	succeeds "$GOTAP" assemble -q --format go1.25 -o "$T/v2.trace" "$T/spool"
	for format in "${FORMATS[@]}"; do
		succeeds "$GOTAP" assemble -q --strict --format "go$format" -o "$T/$format.trace" "$T/spool"
		succeeds "$GOTAP" convert "$T/v2.trace" --format "go$format" -o "$T/$format.converted.trace"
		v1_ok "$format" "$T/$format.trace" "$T/$format.converted.trace"
		parsers_of "$format"
		same_times "$T/v2.trace" "$T/$format.trace" "${PARSERS[0]}"
		same_times "$T/v2.trace" "$T/$format.converted.trace" "${PARSERS[0]}"
		same_profiles "$T/v2.trace" "$T/$format.trace" "${PARSERS[0]}"
	done
}

@test "one recording of Go 1.27: goroutines spend the same times in v2 and in each old format" {
	require_root
	both_ways 1.27 mixed default,sweep -delay 1h
}

# bats test_tags=soak-only
@test "one recording of Go 1.19: goroutines spend the same times in v2 and in each old format" {
	require_root
	both_ways 1.19 gc default
}

# What names it is the program: the format has addresses only.
@test "one recording as a trace of before Go 1.5: the rules of that time hold, and the program names its stacks" {
	require_root
	local trace kind
	recorded_once 1.27 mixed default -delay 1h
	succeeds "$GOTAP" assemble -q --format go1.25 -o "$T/v2.trace" "$T/spool"
	succeeds "$GOTAP" assemble -q --strict --format gotrace -o "$T/assembled.trace" "$T/spool"
	succeeds "$GOTAP" convert "$T/v2.trace" --format gotrace -o "$T/converted.trace"
	for trace in "$T/assembled.trace" "$T/converted.trace"; do
		succeeds "$GOTAP" check "$trace"
		succeeds python3 "$CHECKOUT/tests/lib/gotrace.py" "$trace"
		for kind in '(GoUnblock|GoSwitch|GoSwitchDestroy):GoUnblock' '(GoDestroy|GoSwitchDestroy):GoEnd'; do
			[ "$("$GOTAP" text "$T/v2.trace" | grep -cE "^${kind%:*} ")" -eq "$("$GOTAP" text "$trace" | grep -c "^${kind#*:} ")" ] || fail "$kind"
		done
		succeeds "$GOTAP" convert "$trace" --binary "$PROG" -o "$T/named.trace"
		trace_ok "$T/named.trace"
		[ "$("$GOTAP" text --events "$T/named.trace" | grep -cE '^	(new: )?main\.')" -gt 100 ]
	done
	start_target "$PROG" -delay 1h
	succeeds "$GOTAP" record -v --format gotrace -o "$T/live.trace" -d 200ms -p "$TARGET"
	matches '^left out, not in gotrace: threads of Ps: [1-9]'
	succeeds python3 "$CHECKOUT/tests/lib/gotrace.py" "$T/live.trace"
	stop_target
}

@test "a C thread that comes and goes is one goroutine" {
	require_root
	recorded_once 1.27 cgo default
	succeeds "$GOTAP" assemble -q --strict --format go1.21 -o "$T/x.trace" "$T/spool"
	v1_ok 1.21 "$T/x.trace"
}

# same_steps VERSION THEIRS OURS: the parser of that release has the program's own trace, which is the shorter one, as a
# part of gotap's: of 98 in 100 goroutines all events, in order, with the function where they happen; of the others all
# but 1 in 100 runs of five events. What differs are stacks of the collector's goroutines, and the end of the program's
# own trace. In $T/whole are the goroutines that begin and end in both.
same_steps() {
	local side
	parser "$1"
	for side in theirs ours; do
		"$PARSER" -steps "${!side}" >"$T/$side.steps"
		shift
	done
	run_logged awk -v whole="$T/whole" '
		FNR == 1 { next }
		NR == FNR {
			for (i = 2; i + 4 <= NF; i++)
				run[$1, $i, $(i + 1), $(i + 2), $(i + 3), $(i + 4)]
			id = $1; $1 = ""; ours[id] = $0 " "; next
		}
		{
			for (i = 2; i + 4 <= NF; i++) {
				runs++
				if (!(($1, $i, $(i + 1), $(i + 2), $(i + 3), $(i + 4)) in run)) off++
			}
			goroutines++; id = $1; begins = $2 ~ /^GoCreate/; ends = $NF ~ /^GoEnd/; $1 = ""
			if (!index(ours[id], $0 " ")) { differ++; print id ": " substr($0, 1, 200); next }
			if (begins && ends) print id >whole
		}
		END {
			print goroutines " goroutines, " differ + 0 " differ; " runs " runs of five events, " off + 0 " differ"
			exit goroutines < 500 || runs < 5000 || differ > goroutines / 50 || off > runs / 100
		}' "$T/ours.steps" "$T/theirs.steps"
	explain "${lines[-1]}"
	[ "$status" -eq 0 ]
}

# same_stats VERSION THEIRS OURS: of those in $T/whole nine in ten run, wait to run, and block for the same time by the
# statistics of that parser, within 50 us.
same_stats() {
	parser "$1"
	"$PARSER" -goroutines "$2" >"$T/theirs.stats"
	"$PARSER" -goroutines "$3" >"$T/ours.stats"
	run_logged awk '
		FILENAME ~ /whole$/ { whole[$1]; next }
		FILENAME ~ /theirs/ { theirs[$1] = $0; next }
		$1 in whole {
			goroutines++; worst = 0; split(theirs[$1], t)
			for (i = 2; i <= 6; i++) { d = $i > t[i] ? $i - t[i] : t[i] - $i; if (d > worst) worst = d }
			if (worst > 50000) { off++; print "theirs " theirs[$1]; print "ours " $0 }
		}
		END { print goroutines " goroutines, " off + 0 " differ"; exit goroutines < 500 || off > goroutines / 10 }' \
		"$T/whole" "$T/theirs.stats" "$T/ours.stats"
	explain "${lines[-1]}"
	[ "$status" -eq 0 ]
}

# own_format VERSION FORMAT: the program's own trace and gotap's, both of the format of its release, agree by the parser
# of that release, and by the reference.
own_format() {
	local theirs=$T/runtime.trace ours=$T/gotap.trace
	build_prog "$1" mixed
	oracle "$REFERENCE_GO"
	GOMAXPROCS=2 start_target "$PROG" -trace "$theirs" -await "$ours.partial" -delay 100ms -dur 1s -rounds 1500 -tail 50ms
	recorded "$ours" --format "go$2" -p "$TARGET"
	wait_target
	v1_ok "$2" "$ours"
	cmp -n 16 "$theirs" "$ours"
	same_steps "$1" "$theirs" "$ours"
	same_stats "$1" "$theirs" "$ours"
	run_logged "$ORACLE/diff" -min-recall 0.999 -min-precision 0.999 -min-reasons 0.99 -min-stacks 0.999 -min-threads 0.9 \
		-min-proc-recall 0.999 -min-proc-precision 0.9 "$theirs" "$ours"
	explain "Go $1
$(findings)"
	[ "$status" -eq 0 ]
}

@test "Go 1.15: gotap's trace in its own format agrees with the runtime's" {
	require_root
	own_format 1.15 1.11
}

@test "Go 1.19: gotap's trace in its own format agrees with the runtime's" {
	require_root
	own_format 1.19 1.19
}

@test "Go 1.21: gotap's trace in its own format agrees with the runtime's" {
	require_root
	own_format 1.21 1.21
}

@test "record says what the format cannot hold, as text and as JSON" {
	require_root
	build_prog 1.19 mixed
	start_target "$PROG" -dur 1h
	succeeds "$GOTAP" record -v --format go1.19 -o "$T/x.trace" -d 200ms -p "$TARGET"
	matches '^left out, not in go1.19: ends of system calls that kept their P: the goroutine runs on: [1-9]'
	contains 'GoStartLocal'
	v1_ok 1.19 "$T/x.trace"
	succeeds "$GOTAP" record --json --format go1.8 -o "$T/x.trace" -d 200ms -p "$TARGET"
	succeeds jq -e '.left_out["ends of system calls that kept their P: the goroutine runs on"] > 0 and .events.GoCreate > 0' <<<"$output"
}

@test "a disk that is full: nothing of the trace is kept, but the raw records are" {
	require_root
	build_prog 1.27 mixed
	mkdir "$T/small"
	mount -t tmpfs -o size=16k none "$T/small" || skip "cannot mount a tmpfs"
	echo old >"$T/small/x"
	start_target "$PROG" -delay 1h
	gotap record -q --format go1.19 -d 60s -p "$TARGET" -o "$T/small/x" --spool "$T/spool"
	stop_target
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: cannot write '$T/small/x': No space left on device; a trace of go1.19 is read only with its end, so nothing of it \
is kept; record --spool keeps the raw records up to there" ]
	[ "$(cat "$T/small/x")" = old ]
	[ "$(ls -A "$T/small")" = x ]
	# The records up to there may give a trace of any size: no page is left for it.
	head -c 12k /dev/zero >"$T/small/more"
	gotap assemble -q --format go1.19 -o "$T/small/x" "$T/spool"
	[ "$status" -eq 1 ]
	matches "^gotap: cannot write '$T/small/x': No space left on device; a trace of go1.19 "
	[ "$(cat "$T/small/x")" = old ]
	gotap assemble -q --format go1.19 -o "$T/x.trace" "$T/spool"
	v1_ok 1.19 "$T/x.trace"
}

# The file is that of the generations that have ended; the runtimes of these formats had clock and names at its end.
@test "kill -9: what was written until then has its clock, its names, and all of its goroutines' events" {
	require_root
	build_prog 1.19 mixed
	start_target "$PROG" -delay 1h
	start_record "$T/x.trace" --format go1.19 -p "$TARGET"
	wait_for 60 has_bytes "$T/x.trace.partial" 100000
	kill -9 "$RECORDER"
	wait "$RECORDER" || true
	stop_target
	succeeds "$GOTAP" convert "$T/x.trace.partial" --format go1.19 -o "$T/x.trace"
	! grep -qE 'damaged|left out [0-9]+ bytes|speed' <<<"$output" || fail "something is lost"
	v1_ok 1.19 "$T/x.trace"
	parser 1.19
	"$PARSER" -steps "$T/x.trace" >"$T/steps"
	[ "$(sed -n '1s/.* span=//p' "$T/steps")" -gt 800000000 ]
	[ "$(grep -o 'GoBlockRecv@runtime.chanrecv' "$T/steps" | wc -l)" -gt 100 ]
	"$PARSER" -goroutines "$T/x.trace" | grep -q ' main.start.func1$'
}
