#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap heap: the profiles that the runtime keeps, judged by what the program itself writes of them in the same state.

load lib/common

teardown() {
	stop_targets
	[ -z "${PLACE:-}" ] || close_place
}

# start_heaped VERSION [BUILD FLAG...] [-- OPTION...]: tests/prog/heaped.go; $DIR gets its own profiles.
start_heaped() {
	local -a flags=()
	local version=$1
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	build_prog "$version" heaped "${flags[@]}"
	DIR=$(mktemp -d "$BATS_TEST_TMPDIR/own.XXXXXX")
	DUMPS=0 TWOS=0
	start_target "$PROG" "$DIR" "${@:2}"
}

exists() { [ -e "$1" ]; }

# The program's own word comes last: it changes the profile.
judged() {
	local kind
	DUMPS=$((DUMPS + 1))
	for kind in heap block mutex; do
		"$GOTAP" heap -p "$TARGET" --kind $kind --records >"$DIR/ours.$kind"
	done
	kill -USR1 "$TARGET"
	wait_for 60 exists "$DIR/done.$DUMPS"
	for kind in heap block mutex; do
		succeeds python3 "$CHECKOUT/tests/lib/same_heap.py" $kind "$DIR/ours.$kind" "$DIR/$kind.$DUMPS.txt"
	done
}

# works: it allocates garbage; each second time it collects.
works() {
	TWOS=$((TWOS + 1))
	kill -USR2 "$TARGET"
	wait_for 60 exists "$DIR/did.$TWOS"
}

judged_in_all_states() {
	judged
	works
	judged
	works
	judged
}

# own_records VERSION: in three states.
own_records() {
	require_root
	require_tool python3
	start_heaped "$1"
	judged_in_all_states
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "each record is that of the program itself, in three states, Go %" { own_records %; }
@test "each record is that of the program itself, in three states, Go 1.15" { own_records 1.15; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.19" { own_records 1.19; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.21" { own_records 1.21; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.22" { own_records 1.22; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.23" { own_records 1.23; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.24" { own_records 1.24; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.25" { own_records 1.25; }
# bats test_tags=soak-only
@test "each record is that of the program itself, in three states, Go 1.26" { own_records 1.26; }
@test "each record is that of the program itself, in three states, Go 1.27" { own_records 1.27; }
# end of releases

# own_records_stripped VERSION
own_records_stripped() {
	require_root
	require_tool python3
	start_heaped "$1" -buildmode=pie -ldflags=-s\ -w
	judged
}

# for releases 1.15 1.22 newest (soak-only 1.15):
#	@test "a stripped, position-independent program has the same records, Go %" { own_records_stripped %; }
# bats test_tags=soak-only
@test "a stripped, position-independent program has the same records, Go 1.15" { own_records_stripped 1.15; }
@test "a stripped, position-independent program has the same records, Go 1.22" { own_records_stripped 1.22; }
@test "a stripped, position-independent program has the same records, Go 1.27" { own_records_stripped 1.27; }
# end of releases

# profile_of FILE [OPTION...]: its functions by go tool pprof, with the values, sorted.
profile_of() { "$GO" tool pprof -top -nodecount=1000 "${@:2}" "$1" 2>/dev/null | sed '1,/flat%/d' | awk '{ print $1, $4, $6 }' | sort; }

@test "go tool pprof reads the profile as the program's own: types, values, functions" {
	local index
	require_root
	start_heaped 1.27
	require_go "$REFERENCE_GO"
	works
	works
	"$GOTAP" heap -p "$TARGET" -o "$DIR/heap"
	"$GOTAP" heap -p "$TARGET" --kind allocs -o - >"$DIR/allocs"
	kill -USR1 "$TARGET"
	wait_for 60 exists "$DIR/done.1"
	for index in inuse_space inuse_objects alloc_space alloc_objects; do
		profile_of "$DIR/heap" -sample_index=$index >"$DIR/ours"
		profile_of "$DIR/heap.1" -sample_index=$index | grep -v '^0 ' >"$DIR/own"
		grep -v '^0 0 ' "$DIR/ours" | grep -v '^0 ' >"$DIR/ours.some"
		diff "$DIR/own" "$DIR/ours.some"
		[ -s "$DIR/own" ]
	done
	"$GO" tool pprof -top "$DIR/heap" 2>/dev/null | grep -qx 'Type: inuse_space'
	"$GO" tool pprof -top "$DIR/allocs" 2>/dev/null | grep -qx 'Type: alloc_space'
	"$GO" tool pprof -raw "$DIR/heap" | grep -q 'bytes:\[10240\]'
}

# Each read is of one moment: what one read finds published is what a later one finds, or more.
@test "beside a collector at work no record is torn, Go 1.15, 1.19, 1.27" {
	local version i
	require_root
	require_tool jq
	for version in 1.15 1.19 1.27; do
		start_heaped "$version" -- busy
		for i in {1..40}; do
			"$GOTAP" heap -p "$TARGET" --json
		done >"$DIR/all" 2>"$DIR/said"
		[ "$(jq -s 'map(select(.refused != {} or .cut)) | length' "$DIR/all")" -eq 0 ]
		! grep refused "$DIR/said" || fail "records were refused"
		jq -s -e 'map(.total.alloc_bytes) | . == sort' "$DIR/all"
		jq -s -e 'map(.cycle) | .[-1] > .[0]' "$DIR/all"
		jq -s -e 'all(.[]; all(.records[]; .sampled_frees <= .sampled_allocs))' "$DIR/all"
		stop_target
	done
}

@test "1000 reads of a program that collects all the time: none is torn, nothing becomes less" {
	local version
	require_root
	make -C "$CHECKOUT" --no-print-directory BUILD="$BUILD" "$BUILD/unit/heap_live" >/dev/null
	for version in 1.15 1.22 1.27; do
		start_heaped "$version" -- busy
		GOTAP_TEST_PID=$TARGET succeeds "$BUILD/unit/heap_live"
		contains '1000 reads over'
		stop_target
	done
}

@test "text, --diff and --now" {
	local gotap
	require_root
	require_tool jq
	start_heaped "$REFERENCE_GO"
	gotap heap -p "$TARGET"
	succeeds grep -Eq '^ +[0-9.]+ MB +[0-9.]+ % .* main\.big$' <<<"$output"
	gotap heap -p "$TARGET" --diff 50ms
	contains 'no collection ended meanwhile'
	"$GOTAP" heap -p "$TARGET" --diff 2m --json >"$DIR/diff" 3>&- &
	gotap=$!
	wait_for 30 pauses $gotap
	works
	works
	kill -TERM $gotap
	wait $gotap
	jq -e '.diff_seconds < 120 and .total.alloc_bytes > 50e6 and .moment == "collection"' "$DIR/diff"
	jq -e '[.records[] | select(any(.stack[]; .function == "main.garbage")) | .alloc_bytes] | add > 50e6' "$DIR/diff"
	# one object of 1 MiB, which the runtime samples in 86 of 100 runs
	jq -e '[.records[] | select(any(.stack[]; .function == "main.deep")) | .inuse_bytes] | (add // 0) == 0' "$DIR/diff"
	succeeds "$GOTAP" heap -p "$TARGET" --now --json
	jq -e '.moment == "now"' <<<"$output"
}

# reads_are_sound FILE: no record is torn. Counts only grow, of one program from read to read.
reads_are_sound() {
	jq -s -e 'all(.[]; .refused == {} and (.cut | not) and all(.records[]; .sampled_frees <= .sampled_allocs)) and
		(map(.total.alloc_bytes) | . == sort) and (map(.cycle) | . == sort)' "$1"
}

# 10,000 reads in `make soak`.
# bats test_tags=soak
@test "reads at random moments of programs at work show no torn record" {
	local version n=0 i
	require_root
	require_tool jq
	while goes_on 1 "$((n / 50))" || { soaks && [ $n -lt 10000 ]; }; do
		for version in 1.15 1.19 1.22 1.24 1.27; do
			start_heaped "$version" -- busy
			for i in {1..10}; do
				sleep "0.0$((RANDOM % 90 + 10))"
				"$GOTAP" heap -p "$TARGET" --json
			done >"$DIR/all" 2>"$DIR/said"
			reads_are_sound "$DIR/all" || fail "after $n reads, Go $version: $(cat "$DIR/said")"
			n=$((n + 10))
			stop_target
		done
	done
	explain "$n reads"
}

# The figures of docs/heap.md: they are printed, and bound nothing.
@test "10,000 records: CPU time of the text, beside that of a program with few records" {
	local n
	require_root
	require_tool python3
	build_prog "$REFERENCE_GO" buckets
	for n in 1 10000; do
		start_target "$PROG" $n
		"$GOTAP" heap -p "$TARGET" >"$BATS_TEST_TMPDIR/text"
		awk -v n=$n '/^by bytes in use/ { found = $6 >= n && $6 < n + 50 } END { exit !found }' "$BATS_TEST_TMPDIR/text" ||
			fail "$(head -n 3 "$BATS_TEST_TMPDIR/text")"
		python3 -c 'import resource, subprocess, sys
times = []
for _ in range(7):
	before = resource.getrusage(resource.RUSAGE_CHILDREN)
	subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
print("%.1f" % (1000 * min(times)))' "$GOTAP" heap -p "$TARGET" >"$BATS_TEST_TMPDIR/ms.$n"
		stop_target
	done
	explain "gotap heap: $(cat "$BATS_TEST_TMPDIR/ms.1") ms of CPU for some records, $(cat "$BATS_TEST_TMPDIR/ms.10000") ms for 10,000"
}

@test "options that do not go together, a process that is none, a program with profiles off" {
	require_root
	gotap heap
	[ "$status" -eq 2 ] && contains 'give one process'
	gotap heap -p 1 --json --records
	[ "$status" -eq 2 ]
	gotap heap -p 1 --switch-on
	[ "$status" -eq 2 ] && contains -- '--diff TIME'
	gotap heap -p 1 --kind block --now
	[ "$status" -eq 2 ]
	gotap heap -p 1 --kind x
	[ "$status" -eq 2 ] && contains 'takes heap, allocs, block or mutex'
	build_prog "$REFERENCE_GO" idle
	start_target "$PROG"
	gotap heap -p "$TARGET"
	[ "$status" -eq 0 ] && contains 'has profiling of memory off: --switch-on'
	gotap heap -p "$TARGET" --kind block
	contains 'has its block profile off'
	gotap heap -p "$TARGET" --kind mutex
	contains 'has its mutex profile off'
	gotap heap -p "$TARGET" -o /no/such/folder/x
	[ "$status" -eq 1 ]
}

# rate_is N: MemProfileRate, as the target itself finds it: each `gotap heap` takes back what another one has left.
rate_is() { [ "$(cat "$DIR/rate")" = "$1" ]; }

switched_on() { rate_is 65536; }

# holder PID: the process that holds the change of that gotap.
holder() { pgrep -P "$1" gotap-heap; }

notes() { find /run/gotap /run/user/*/gotap /tmp/gotap-* -name "heap-$TARGET-*" 2>/dev/null; }

@test "--switch-on: records where there were none, and off again, Go 1.15, 1.19, 1.22, 1.24, 1.27" {
	local version
	require_root
	require_tool jq
	for version in 1.15 1.19 1.22 1.24 1.27; do
		start_heaped "$version" -- off busy rate
		wait_for 30 rate_is 0
		"$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 500ms --json >"$DIR/json"
		jq -e '.rate == 65536 and .moment == "now"' "$DIR/json"
		jq -e '[.records[] | select(any(.stack[]; .function == "main.garbage")) | .sampled_allocs] | add > 10' "$DIR/json"
		[ -z "$(notes)" ]
		wait_for 30 rate_is 0
		stop_target
	done
}

@test "--switch-on: SIGINT, SIGTERM, kill -9, kill -9 of all: profiling is off again" {
	local signal gotap
	require_root
	require_tool jq pgrep
	start_heaped "$REFERENCE_GO" -- off busy rate
	for signal in INT TERM KILL; do
		"$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 2m --json >"$DIR/json" 3>&- &
		gotap=$!
		wait_for 30 switched_on
		[ -n "$(notes)" ]
		gotap heap -p "$TARGET" --switch-on --diff 1s
		[ "$status" -eq 1 ] && contains 'another gotap has switched on'
		kill -$signal $gotap
		[ $signal = KILL ] || wait $gotap
		wait_for 30 rate_is 0
		wait_for 30 eval '[ -z "$(notes)" ]'
		[ $signal = KILL ] || jq -e '.total.alloc_bytes > 0' "$DIR/json"
	done
	"$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 2m >"$DIR/json" 3>&- &
	gotap=$!
	wait_for 30 switched_on
	kill -KILL "$(holder $gotap)" $gotap
	wait_for 30 eval '! kill -0 $gotap 2>/dev/null'
	[ -n "$(notes)" ] && switched_on
	gotap heap -p "$TARGET"
	[ "$status" -eq 0 ] && contains 'it is off again'
	[ -z "$(notes)" ]
	wait_for 30 rate_is 0
	gotap heap -p "$TARGET"
	[ "$status" -eq 0 ] && [[ $output != *'it is off again'* ]]
}

@test "--switch-on of a program that has it on is an error, and changes nothing" {
	require_root
	start_heaped "$REFERENCE_GO" -- rate
	gotap heap -p "$TARGET" --switch-on --diff 1s
	[ "$status" -eq 1 ] && contains 'has memory profiling on (one sample in 524288 bytes)'
	wait_for 30 rate_is 524288
	[ -z "$(notes)" ]
}

@test "--switch-on of a program that execs another between the open of its memory and the write: that one is not changed" {
	local heaped
	require_root
	require_tool cc
	build_prog "$REFERENCE_GO" heaped
	heaped=$PROG
	build_prog "$REFERENCE_GO" exec
	DIR=$(mktemp -d "$BATS_TEST_TMPDIR/own.XXXXXX")
	cc -O1 -shared -fPIC -o "$BATS_TEST_TMPDIR/exec_amid_switch.so" "$CHECKOUT/tests/lib/exec_amid_switch.c" -ldl
	start_target "$PROG" -signal "$heaped" "$DIR" off rate
	TARGET=$TARGET LD_PRELOAD=$BATS_TEST_TMPDIR/exec_amid_switch.so \
		run_logged "$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 100ms
	[ "$status" -eq 1 ] && contains "has exec'ed another program"
	[ "$(readlink "/proc/$TARGET/exe")" = "$heaped" ]
	wait_for 30 rate_is 0
	[ -z "$(notes)" ]
	gotap heap -p "$TARGET"
	[ "$status" -eq 0 ] && [[ $output != *'off again'* ]] && contains 'has profiling of memory off'
	rate_is 0
}

@test "--switch-off: whoever has switched it on, also a gotap that was killed with its note" {
	local gotap
	require_root
	require_tool pgrep
	start_heaped "$REFERENCE_GO" -- off busy rate
	# in a mount namespace of its own, as in a container, with a folder that goes with it
	unshare -m --propagation private sh -c 'mount -t tmpfs none /run && exec "$@"' sh \
		"$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 2m >"$DIR/json" 2>"$DIR/said" 3>&- &
	gotap=$!
	wait_for 30 switched_on
	wait_for 30 grep -q 'the note .* is lost, and memory profiling of process .* remains on' "$DIR/said"
	kill -KILL "$(holder $gotap)" $gotap
	wait_for 30 eval '! kill -0 $gotap 2>/dev/null'
	[ -z "$(notes)" ]
	gotap heap -p "$TARGET"
	[ "$status" -eq 0 ] && switched_on
	gotap heap -p "$TARGET" --switch-off
	[ "$status" -eq 0 ] && [ "$output" = "memory profiling of process $TARGET is off now; it was one sample in 65536 bytes" ]
	wait_for 30 rate_is 0
	gotap heap -p "$TARGET" --switch-off
	[ "$status" -eq 0 ] && contains 'was off'
	gotap heap -p "$TARGET" --switch-off --json
	[ "$status" -eq 2 ]
}

# What a gotap of another program, or of another moment, has left is removed without a word.
@test "a note that is not of this program, or is none, changes nothing" {
	local note text gotap
	require_root
	start_heaped "$REFERENCE_GO" -- off rate
	"$GOTAP" heap -p "$TARGET" --switch-on --rate 65536 --diff 2m >"$DIR/out" 3>&- &
	gotap=$!
	wait_for 30 switched_on
	note=$(notes) text=$(cat "$(notes)")
	kill -INT $gotap
	wait $gotap
	wait_for 30 rate_is 0
	[ -z "$(notes)" ]
	for text in "$text" "1 ${text#* }" x ""; do
		printf '%s' "$text" >"$note"
		gotap heap -p "$TARGET"
		[ "$status" -eq 0 ] && [[ $output != *'off again'* ]]
		[ -z "$(notes)" ]
	done
	rate_is 0
}

@test "variables that are found by code are those of the symbols, Go 1.15 to 1.27, as PIE" {
	local version programs=
	for version in 1.15 1.19 1.21 1.22 1.23 1.24 1.25 1.26 1.27; do
		build_prog "$version" heaped
		programs+=" $PROG"
	done
	build_prog 1.27 heaped -buildmode=pie
	programs+=" $PROG"
	# without a call of runtime.GC, which has functions that are linked for it alone
	for version in 1.19 1.23 1.27; do
		build_prog "$version" idle
		programs+=" $PROG"
	done
	make -C "$CHECKOUT" --no-print-directory BUILD="$BUILD" "$BUILD/unit/target_profile_vars" >/dev/null
	GOTAP_TEST_BINARIES=${programs# } succeeds "$BUILD/unit/target_profile_vars"
	[[ $output != *'no program with symbols'* ]]
}
