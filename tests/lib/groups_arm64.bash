# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The content of all groups on arm64: load after lib/common, lib/record, lib/differential, lib/kernel, lib/kernel_arm64 and
# lib/objects. tests/kernel/guest_groups records programs that say themselves what they do; what came out of the machine is
# judged here as the tests of each group judge it on amd64.

# What guest_groups runs, without cgo.
GROUP_PROGRAMS="mixed requests calls children queries regions labelled objects allocates waits ranges memory kernel dies facts
	stacked leaky heaped holder restarts profiled pingpong"

# arm64_c_prog VERSION NAME: sets $PROG to tests/prog/NAME.go, built for arm64 with cgo.
arm64_c_prog() {
	require_go "$1"
	PROG=$BUILD/prog/arm64/go$1-cgo/$2
	GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc "$CHECKOUT/tests/prog/build" "$1" "$(dirname "$PROG")" -p "$2"
}

# boot_groups RELEASE_OF_GO KERNEL CPU [STEP...]: sets $GUEST and $GO_MINOR.
boot_groups() {
	local version=$1 kernel=$2 cpu=$3 name
	local -a files=() names=()
	shift 3
	GO_MINOR=${version#1.}
	require_arm64 gotap
	for name in $GROUP_PROGRAMS; do
		names+=(-p "$name")
	done
	require_go "$version"
	GOARCH=arm64 CGO_ENABLED=0 "$CHECKOUT/tests/prog/build" "$version" "$BUILD/prog/arm64/go$version" "${names[@]}"
	for name in $GROUP_PROGRAMS; do
		[ ! -x "$BUILD/prog/arm64/go$version/$name" ] || files+=("$BUILD/prog/arm64/go$version/$name")
	done
	arm64_c_prog "$version" sampled
	files+=("$PROG")
	[ "$GO_MINOR" -ge 26 ] || { : >"$BATS_TEST_TMPDIR/without-leaks"; files+=("$BATS_TEST_TMPDIR/without-leaks"); }
	[ $# -eq 0 ] || { printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/steps"; files+=("$BATS_TEST_TMPDIR/steps"); }
	# gotap serve opens it when it runs
	files+=("$SYSROOT/usr/lib/aarch64-linux-gnu/libmicrohttpd.so.12")
	boot_arm64 "$kernel" "$cpu" guest_groups "${files[@]}"
}

# events_of NAME: as JSON, in $EVENTS.
events_of() {
	EVENTS=$BATS_TEST_TMPDIR/$1.events
	"$GOTAP" text --events --json "$GUEST/$1.trace" >"$EVENTS"
}

# whole NAME: the step succeeded, and its trace is one that Go's reader and pages take, without a loss or repair.
whole() {
	step_succeeds "$1"
	contains '"lost": 0'
	contains '"repairs_total": 0'
	views_ok "$GUEST/$1.trace"
}

judge() { succeeds python3 "$CHECKOUT/tests/lib/$1.py" "${@:2}"; }

# --- groups ---

# Served: proto, path, route, status, bytes, remote address and traceparent of each.
requests_are_right() {
	whole requests
	events_of requests
	judge requests "$GUEST/requests.said" "$EVENTS" "$GO_MINOR"
	whole children
	events_of children
	judge children "$EVENTS" 175
}

calls_are_right() {
	whole calls
	events_of calls
	judge calls "$GUEST/calls.said" "$EVENTS"
	"$GOTAP" requests "$GUEST/calls.trace" --json >"$BATS_TEST_TMPDIR/json"
	judge asked "$EVENTS" "$BATS_TEST_TMPDIR/json"
}

queries_are_right() {
	whole queries
	events_of queries
	judge queries "$GUEST/queries.said" "$EVENTS"
}

grpc_is_right() {
	whole grpc
	events_of grpc
	judge grpc "$GUEST/grpc.said" "$EVENTS"
}

# Each call and return of each function, as the program counted them; and gotap func of the trace.
regions_are_right() {
	local name n
	whole regions
	events_of regions
	judge regions "$GUEST/regions.said" "$EVENTS"
	"$GOTAP" func --json "$GUEST/regions.trace" 'main.*' >"$BATS_TEST_TMPDIR/json"
	for name in 'main.(*cart).total' main.fibonacci main.deep main.waits; do
		n=$(awk -v name="$name" '$2 == name { print $3 }' "$GUEST/regions.said")
		[ "$n" -gt 0 ]
		jq -e --arg name "$name" --argjson n "$n" '.functions[] | select(.name == $name) | .calls == $n and .left == 0' \
			"$BATS_TEST_TMPDIR/json"
	done
}

labels_are_right() {
	whole labels
	events_of labels
	judge labels_truth "$EVENTS"
}

allocations_are_right() {
	local grown=
	[ "$GO_MINOR" -ge 21 ] || grown=grown
	whole allocations
	events_of allocations
	"$GOTAP" report --json "$GUEST/allocations.trace" >"$BATS_TEST_TMPDIR/report"
	cat "$GUEST"/allocations/stats.[12] >"$BATS_TEST_TMPDIR/stats"
	judge same_allocs "$EVENTS" "$GUEST/allocations/allocs.2.txt" "$BATS_TEST_TMPDIR/report" "$BATS_TEST_TMPDIR/stats" \
		${grown:+"$grown"}
	grep -q '"allocs_unpaired": 0' "$GUEST/allocations.out"
}

# Each object, as the program and runtime.MemStats have them.
objects_are_right() {
	whole objects
	SAID=$GUEST/objects.said RECORDS=$BATS_TEST_TMPDIR/records
	"$GOTAP" records "$GUEST/objects/x.spool" >"$RECORDS"
	same_as_said
	same_as_counted
}

# The object that each goroutine waits for: a channel, a lock, a socket. Up to Go 1.20 the callers in a stack that has grown are
# not known, as that of selectTen has: the goroutine is not found by its function.
waits_are_right() {
	local name
	local -a unknown=()
	[ "$GO_MINOR" -ge 26 ] || unknown=(cond)
	for name in waits waits-now; do
		whole "$name"
		events_of "$name"
		[ "$(grep -c ^main "$GUEST/$name.said")" -eq 13 ]
		cp "$GUEST/$name.said" "$BATS_TEST_TMPDIR/$name.said"
		[ "$GO_MINOR" -ge 21 ] || sed -i '/^main\.selectTen /d' "$BATS_TEST_TMPDIR/$name.said"
	done
	events_of waits
	judge waits "$BATS_TEST_TMPDIR/waits.said" "$EVENTS"
	events_of waits-now
	judge waits "$BATS_TEST_TMPDIR/waits-now.said" "$EVENTS" "${unknown[@]}"
}

# Collector, mark assists, sweeping, stops of the world, heap, tasks, regions and logs, beside the runtime's own.
ranges_are_right() {
	whole ranges
	same_trace -extras -margin 50ms -max-extras-p99 200us -rough 'Metric /memory' -min-rough 0.98 \
		-need 'RangeBegin GC concurrent,RangeBegin GC mark assist,RangeBegin stop-the-world (GC,RangeBegin GC incremental sweep,Label GC,Metric /gc,Metric /memory,TaskBegin,TaskEnd,RegionBegin,RegionEnd,Log' \
		"$GUEST/ranges.runtime.trace" "$GUEST/ranges.trace"
}

# Spans and stacks beside the runtime's own.
memory_is_right() {
	whole memory
	succeeds "$ORACLE/memory" "$GUEST/memory.runtime.trace" "$GUEST/memory.trace"
}

# The states of a thread add up to its life. The kernel's own counts differ here by what the threads run before and after the
# recording, which takes long in the emulator: tests/threads.bats compares them.
threads_are_right() {
	whole threads
	python3 "$CHECKOUT/tests/lib/threads.py" "$GUEST/threads.out" \
		'all(abs(x.seconds - sum(x.states.values())) < 1e-4 for x in t.values()) and total.unknown == 0 and total.woken > 10 and d["lost"] == 0'
}

# --- samples ---

# In Go, in the kernel, in C, on the system stack: by place and stack the same shares as the runtime's, and each sample on
# the goroutine that the trace has there.
samples_are_right() {
	whole samples
	succeeds "$ORACLE/samples" -min 60 -need 'main.burn,main.inKernel,main._Cfunc_c_burn,main.allocating,the scheduler' -large 0.03 \
		"$GUEST/samples.trace" "$GUEST/samples.runtime.trace"
}

# --- ends of programs, triggers ---

# The goroutine, its functions and lines, and the message, as the runtime prints them.
crash_is_right() {
	step crash
	[ "$(cat "$GUEST/crash/exit")" -eq 2 ]
	views_ok "$GUEST/crash/1.trace"
	judge same_death "$GUEST/crash/1.trace.json" "$GUEST/crash/said" "$GUEST/crash/alone"
	views_ok "$GUEST/crash/signal.1.trace"
	judge same_death "$GUEST/crash/signal.1.trace.json" "$GUEST/crash/signal.said" "$GUEST/crash/signal.alone"
}

# Each fact that the program prints has its snapshot.
flight_is_right() {
	local facts=$BATS_TEST_TMPDIR/facts
	step_succeeds flight
	views_ok "$GUEST"/flight/*.trace
	python3 "$CHECKOUT/tests/lib/trigger_facts.py" "$GOTAP" "$GUEST"/flight/*.trace >"$facts" || fail "a snapshot without its fact"
	[ "$(sed -E 's/ [0-9]+ [0-9]+$//' "$facts" | sort | uniq -c | sed 's/^ *//')" = '1 blocked>40ms:chan*:main.waitForIt
1 func:main.longLived>40ms
1 log:timed out$
1 region:slow*>40ms
1 syscall>40ms' ] || fail "$(cat "$facts")"
}

# --- commands about a running process ---

# States, frames, lines, creators and labels beside the program's own dump, also of the core file, of which this machine's
# gotap reads them.
stacks_are_right() {
	local own=$GUEST/stacks
	step_succeeds stacks
	judge same_stacks "$own/ours" "$own/dump.2"
	judge same_labels "$own/json" "$own/dump.1"
	"$GOTAP" stacks --core "$own/core" --exe "$BUILD/prog/arm64/go1.$GO_MINOR/stacked" >"$BATS_TEST_TMPDIR/of-core"
	judge same_stacks "$BATS_TEST_TMPDIR/of-core" "$own/dump.2"
	[ "$(jq '.goroutines | length' "$own/json")" -eq "$(jq '.goroutines - .system_goroutines' "$own/top")" ]
	jq -e --arg version "go1.$GO_MINOR" 'any(.processes[]; (.exe | endswith("/stacked")) and (.go | startswith($version)))' "$own/ps"
}

# All that leak, and no other: by an image while it runs, by its memory while it is stopped, by its own collection.
leaks_are_right() {
	local name
	step_succeeds leaks
	[ "$(cat "$GUEST/leaks/exit")" -eq 0 ]
	for name in image stopped; do
		jq -e 'all(.goroutines[]; .leaked and any(.stack[]; .function | startswith("main.leaked")))' "$GUEST/leaks/$name"
		[ "$(jq '.goroutines | length' "$GUEST/leaks/$name")" -ge 30 ]
	done
	[ "$GO_MINOR" -lt 26 ] || [ "$(jq '[.goroutines[] | select(.leaked)] | length' "$GUEST/leaks/detected")" -eq 40 ]
}

heap_is_right() {
	local kind
	step_succeeds heap
	for kind in heap block mutex; do
		judge same_heap $kind "$GUEST/heap/ours.$kind" "$GUEST/heap/$kind.1.txt"
	done
}

# Roots and types hold what the program made them hold. Up to Go 1.21 each word of an object counts as a pointer: some roots may
# share what one of them holds (tests/retained.bats).
retained_is_right() {
	local json=$GUEST/retained/json alloc objects
	step_succeeds retained
	read -r _ alloc _ objects <"$GUEST/retained/said"
	jq -e --argjson a "$alloc" --argjson o "$objects" \
		'(.heap.bytes - $a | fabs) < 0.01 * $a and (.heap.objects - $o | fabs) < 0.01 * $o' "$json"
	if [ "$GO_MINOR" -lt 22 ]; then
		jq -e '.heap.reachable_bytes >= 6400000 and ([.roots[] | select(.root == "main.left" or .root == "main.theList")] |
			length == 2 and all(.retained_bytes > 0 and .retained_bytes <= (if .root == "main.left" then 65568 else 640000 end)))' "$json"
		return
	fi
	jq -e '[.roots[] | select(.root == "main.theList") | .retained_bytes, .retained_objects] == [640000, 10000]' "$json"
	jq -e '[.roots[] | select(.root == "main.left") | .retained_bytes, .retained_objects] == [65568, 2]' "$json"
}

# Eight stops of all threads: each system call goes on, and has the result that it had without them.
restarts_are_right() {
	step_succeeds restarts
	[ "$(grep -cE '^[a-z_]+ [1-9][0-9]* 0 $' "$GUEST/restarts/said")" -eq 7 ] || fail "$(cat "$GUEST/restarts/said")"
}

served_is_right() {
	local own=$GUEST/served
	step_succeeds served
	require_go "$REFERENCE_GO"
	"$GO" tool pprof -top -nodecount=5 "$own/profile" 2>/dev/null | sed '1,/flat%/d' | awk 'NR == 1 && $6 == "main.spin" { found = 1 } END { exit !found }'
	grep -q 'main.take' "$own/goroutine"
	"$GO" tool pprof -top "$own/heap" >/dev/null 2>&1
	views_ok "$own/trace"
}

# Prices are measured on the machine. A program that does nothing but hand over is recorded in slices, and the probes cost no
# more than the limit, or that takes a longer recording (docs/budget.md).
budget_is_kept() {
	step_succeeds budget
	jq -e '.budget_percent == 5 and .cost_ns.measured and .budget_steps[-1].level == "slices" and .unrecorded_seconds > 0 and
		(.cost_percent <= 5 or .budget_needs_seconds > .seconds)' <<<"$output"
	views_ok "$GUEST/budget.trace"
}

# The kernel steps what docs/arm64.md names, what group sweep has beside that, and functions that run once, when a program dies.
doctor_is_right() {
	local assist=gcAssistAlloc
	# the end of an assist is where it is called
	[ "$GO_MINOR" -ge 22 ] || assist=deductAssistCredit
	[ "$GO_MINOR" -ge 21 ] || assist=mallocgc
	step_succeeds doctor
	jq -e .traceable <<<"$output"
	jq -r '.probes[] | select(.emulated | not) | .function' <<<"$output" | sort -u >"$BATS_TEST_TMPDIR/stepped"
	succeeds diff "$BATS_TEST_TMPDIR/stepped" <(printf 'runtime.%s\n' '(*mheap).reclaim' dieFromSignal fatal gcControllerCommit throw $assist | sort)
}

# all_groups_are_right: what there is for the release of Go of the last boot_groups().
all_groups_are_right() {
	doctor_is_right
	requests_are_right
	calls_are_right
	queries_are_right
	regions_are_right
	labels_are_right
	allocations_are_right
	waits_are_right
	threads_are_right
	crash_is_right
	flight_is_right
	budget_is_kept
	[ "$GO_MINOR" -lt 22 ] || { objects_are_right; ranges_are_right; samples_are_right; }
	[ "$GO_MINOR" -lt 24 ] || memory_is_right
}

commands_are_right() {
	stacks_are_right
	leaks_are_right
	heap_is_right
	retained_is_right
	restarts_are_right
	served_is_right
}
