#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap heap --retained: who holds the memory of a stopped process or a core file, judged by a program of which that is known,
# and by the counts of the runtime.

load lib/common

teardown() { stop_stopped_targets; }

# start_holder VERSION [FLAG...]: tests/prog/holder.go, stopped; with $HOLDER as argument.
start_holder() {
	require_root
	require_tool jq
	build_prog "$1" holder "${@:2}"
	start_target "$PROG" ${HOLDER:+"$HOLDER"}
	kill -STOP "$TARGET"
	JSON=$BATS_TEST_TMPDIR/json
}

retained() { "$GOTAP" heap -p "$TARGET" --retained --top 100 --json >"$JSON"; }

# root NAME: bytes and objects that the root holds alone
root() { jq -c ".roots[] | select(.root | test(\"$1\")) | [.retained_bytes, .retained_objects]" "$JSON"; }

# Within 1 percent: between the program's look at its counts and its stop it allocates what it prints.
like_memstats() {
	read -r _ alloc _ objects <"$TARGET_OUT"
	jq -e --argjson a "$alloc" --argjson o "$objects" \
		'(.heap.bytes - $a | fabs) < 0.01 * $a and (.heap.objects - $o | fabs) < 0.01 * $o' "$JSON"
}

sound() {
	jq -e '.heap.reachable_bytes <= .heap.bytes and .heap.shared_bytes <= .heap.reachable_bytes and
		(.counts | .spans_unreadable + .spans_refused + .bytes_unreadable + .goroutines_unreadable == 0) and
		(.counts.globals_each_word | not)' "$JSON"
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "roots and types hold what they were made to hold, Go %" { holds %; }
@test "roots and types hold what they were made to hold, Go 1.22" { holds 1.22; }
# bats test_tags=soak-only
@test "roots and types hold what they were made to hold, Go 1.23" { holds 1.23; }
# bats test_tags=soak-only
@test "roots and types hold what they were made to hold, Go 1.24" { holds 1.24; }
# bats test_tags=soak-only
@test "roots and types hold what they were made to hold, Go 1.25" { holds 1.25; }
# bats test_tags=soak-only
@test "roots and types hold what they were made to hold, Go 1.26" { holds 1.26; }
@test "roots and types hold what they were made to hold, Go 1.27" { holds 1.27; }
# end of releases

holds() {
	start_holder "$1"
	retained
	sound
	like_memstats
	# 32 + 8192 + 1000 * (32 + 4096), but for some of 4096 that a variable of main() may hold, too
	root '^main.theStore$' | jq -e '.[0] <= 4136224 and .[0] >= 4136224 - 4 * 4096 and .[1] <= 2002 and .[1] >= 1998'
	# 10000 * 64; 32 + 65536
	[ "$(root '^main.theList$')" = "[640000,10000]" ]
	[ "$(root '^main.left$')" = "[65568,2]" ]
	[ "$(root '^main.right$')" = "[65568,2]" ]
	[ "$(root '^main.anything$' | jq '.[1]')" -ge 201 ]
	[ "$(root '^goroutine [0-9]+ .main' | jq '.[0]' | sort -n | tail -n 1)" -ge 524288 ]
	# what both of a pair point to is nobody's alone
	jq -e '.heap.shared_bytes >= 1048576 and any(.objects[]; .bytes == 1048576 and .retained_objects == 1)' "$JSON"
	# types, and paths
	jq -e 'any(.types[]; .type == "main.item" and .objects == 1000 and .bytes == 32000 and .retained_bytes <= 4128000 and .retained_bytes >= 4128000 - 4 * 4096)' "$JSON"
	jq -e 'any(.types[]; .type == "main.row" and .objects == 100)' "$JSON"
	jq -e 'any(.objects[]; .type == "main.table" and .path == ["main.anything", "main.table"])' "$JSON"
	jq -e 'any(.objects[]; .path[0] == "main.theStore" and .type == "[]*main.item" and .retained_objects > 1996)' "$JSON"
	# the program goes on
	kill -CONT "$TARGET"
}

# Each word of an object counts as a pointer: some roots may share what one of them holds.
@test "the counts are those of the runtime, and a root holds what it was made to hold, Go 1.15 and 1.21" {
	local version
	for version in 1.15 1.21; do
		start_holder "$version"
		retained
		sound
		like_memstats
		[ "$(root '^main.left$' | jq '.[0]')" -le 65568 ]
		[ "$(jq '.heap.reachable_bytes' "$JSON")" -ge 6400000 ]
		kill -CONT "$TARGET"
		stop_target
	done
}

@test "after collections the counts are those of the runtime, and no root holds more than it was made to hold" {
	local HOLDER=collected version
	for version in 1.15 1.22 1.27; do
		start_holder "$version"
		retained
		sound
		like_memstats
		jq -e '.heap.bytes - .heap.reachable_bytes < 3e6' "$JSON" # the garbage is gone
		[ "$(root '^main.theStore$' | jq '.[0]')" -le 4136224 ]
		[ "$(root '^main.theList$' | jq '.[0]')" -le 640000 ]
		kill -CONT "$TARGET"
		stop_target
	done
}

@test "a stripped, position-independent program has types, and roots without names" {
	start_holder "$REFERENCE_GO" -ldflags=-s\ -w -buildmode=pie
	retained
	sound
	like_memstats
	jq -e 'any(.types[]; .type == "main.item" and .objects == 1000)' "$JSON"
	jq -e 'any(.roots[]; .root | startswith("global variables at 0x"))' "$JSON"
}

# A pointer, a map with its parts, an interface; what only a variable points to, and no object that has its type.
@test "what global variables point to has a type, by DWARF data; without it, it has none" {
	local version
	for version in 1.22 1.24 "$REFERENCE_GO"; do
		start_holder "$version"
		retained
		jq -e 'any(.types[]; .type == "main.store" and .objects == 1 and .retained_bytes > 4000000) and
			any(.types[]; .type == "main.link" and .objects == 10000 and .bytes == 640000) and
			any(.types[]; .type == "main.pair" and .objects == 2)' "$JSON"
		kill -CONT "$TARGET"
		stop_target
	done
	start_holder "$REFERENCE_GO" -ldflags=-w
	retained
	jq -e 'all(.types[]; .type != "main.link" and .type != "main.store")' "$JSON"
	kill -CONT "$TARGET"
}

@test "DWARF data that was damaged costs types, and nothing else" {
	local seed place
	require_root
	require_tool jq python3 readelf
	build_prog "$REFERENCE_GO" holder -ldflags=-compressdwarf=false
	place=$(readelf -SW "$PROG" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')
	[ -n "$place" ]
	for seed in {1..6}; do
		cp "$PROG" "$BATS_TEST_TMPDIR/damaged"
		python3 -c 'import random, sys
random.seed(int(sys.argv[1]))
at, n = (int(x, 16) for x in sys.argv[3:5])
with open(sys.argv[2], "r+b") as f:
	for _ in range(4 ** int(sys.argv[1])):
		f.seek(at + random.randrange(n))
		f.write(bytes([random.randrange(256)]))' "$seed" "$BATS_TEST_TMPDIR/damaged" $place
		start_target "$BATS_TEST_TMPDIR/damaged"
		kill -STOP "$TARGET"
		timeout 100 "$GOTAP" heap -p "$TARGET" --retained --top 100 --json >"$BATS_TEST_TMPDIR/json" || fail "seed $seed"
		kill -KILL "$TARGET"
		jq -e 'any(.roots[]; .root == "main.theList" and .retained_bytes == 640000)' "$BATS_TEST_TMPDIR/json"
	done
}

@test "the place of allocation of a sampled object" {
	# each of so many bytes is sampled for sure
	export GODEBUG=memprofilerate=4096
	start_holder "$REFERENCE_GO"
	retained
	gotap heap -p "$TARGET"
	[[ $output != *"profiling of memory off"* ]] || skip "the linker has switched the heap profile off"
	jq -e 'any(.objects[]; .bytes == 1048576 and any(.allocated_by[]?; .function == "main.makeAll"))' "$JSON"
}

@test "the text has the three tables; a core file has the same" {
	require_tool jq
	build_prog "$REFERENCE_GO" holder
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "core files of this machine go elsewhere (core_pattern)"
	cd "$BATS_TEST_TMPDIR"
	ulimit -c unlimited
	GOTRACEBACK=crash start_target "$PROG"
	kill -ABRT "$TARGET"
	wait_target
	core=$(ls core core.* 2>/dev/null | head -n 1)
	[ -s "$core" ] || skip "no core file was written"
	gotap heap --core "$core" --retained --top 3
	[ "$status" -eq 0 ]
	matches '^heap 9\.[5-9] MB in 12[0-9]{3} objects; reachable '
	matches '^ +4\.1 MB +200[12]  main.theStore$'
	contains 'by type, what its objects hold alone:'
	matches 'further ones: --top N shows more$'
	JSON=json
	"$GOTAP" heap --core "$core" --retained --json >json
	[ "$(root '^main.theList$')" = "[640000,10000]" ]
}

@test "a process that runs is refused; wrong usage is status 2" {
	require_root
	build_prog "$REFERENCE_GO" holder
	start_target "$PROG"
	gotap heap -p "$TARGET" --retained
	[ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ]
	contains 'its heap can only be read while it stands still'
	for wrong in "--retained" "-p 1 --top 3" "-p 1 --retained --diff 1s" "-p 1 --retained --kind mutex" "-p 1 --retained -o x" \
		"--core x --diff 1s" "-p 1 --core x"; do
		gotap heap $wrong
		[ "$status" -eq 2 ]
	done
	gotap heap --core /dev/null --retained
	[ "$status" -eq 1 ]
}

@test "whatever stands in the memory of a stopped process, the answer comes in time, and is an object or one line" {
	local seed mheap
	require_root
	require_tool python3
	build_prog "$REFERENCE_GO" holder
	require_go "$REFERENCE_GO"
	mheap=$("$GO" tool nm "$PROG" | awk '$3 == "runtime.mheap_" { print $1 }')
	for seed in {1..5}; do
		start_target "$PROG"
		kill -STOP "$TARGET"
		python3 "$CHECKOUT/tests/lib/scramble_heap.py" "$TARGET" "$mheap" "$seed"
		status=0
		timeout 60 "$GOTAP" heap -p "$TARGET" --retained --json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
		kill -KILL "$TARGET"
		[ "$status" -le 1 ]
		[ "$status" -eq 1 ] || jq -e .heap.objects "$BATS_TEST_TMPDIR/out" >/dev/null
	done
}
