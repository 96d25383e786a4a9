# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the tests on other kernels: load after lib/common, lib/differential and lib/grpc. A test boots one of Debian's
# kernels in a virtual machine, where tests/kernel/guest works through its steps, and judges here what came out.

# An emulated processor is slow: the start of the runtime's tracer, when not all of it runs yet, takes long.
KERNEL_LIMITS=("${LIMITS[@]}" -margin 20ms)

# require_kernel_image RELEASE: sets $KERNEL to the folder of that kernel.
require_kernel_image() {
	local why
	KERNEL=$CHECKOUT/build/kernels/$1
	[ -d "$KERNEL" ] || why=$("$CHECKOUT/tools/kernel-fetch" "$1" 2>&1 >/dev/null) ||
		skip "Linux $1 cannot be had: $(tail -n 1 <<<"$why")"
}

# guest_programs: sets $PROGRAMS to what the guest runs.
guest_programs() {
	local setpriv bpftool name
	setpriv=$(command -v setpriv)
	bpftool=$(PATH=$PATH:/usr/sbin command -v bpftool)
	# what the emulated machine unpacks costs time
	strip -o "$BATS_TEST_TMPDIR/gotap" "$GOTAP"
	PROGRAMS=("$CHECKOUT/tests/kernel/guest" "$BATS_TEST_TMPDIR/gotap" "$setpriv" "$bpftool")
	for name in mixed labelled requests; do
		build_prog 1.19 "$name"
		cp "$PROG" "$BATS_TEST_TMPDIR/$name-old"
		PROGRAMS+=("$BATS_TEST_TMPDIR/$name-old")
		build_prog "$REFERENCE_GO" "$name"
		PROGRAMS+=("$PROG")
	done
	for name in kernel dies calls queries regions; do
		build_prog "$REFERENCE_GO" "$name"
		PROGRAMS+=("$PROG")
	done
	build_grpc forky "$REFERENCE_GO" -ldflags=-s
	cp "$PROG" "$BATS_TEST_TMPDIR/grpc"
	PROGRAMS+=("$BATS_TEST_TMPDIR/grpc")
}

# boot RELEASE [brief]: sets $GUEST to the folder of what came out of the machine.
boot() {
	require_tool qemu-system-x86_64 busybox setpriv
	require_kernel_image "$1"
	guest_programs
	[ -z "${2:-}" ] || { : >"$BATS_TEST_TMPDIR/brief"; PROGRAMS+=("$BATS_TEST_TMPDIR/brief"); }
	GUEST=$BATS_TEST_TMPDIR/guest
	"$CHECKOUT/tests/kernel/initramfs" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "${PROGRAMS[@]}" &&
		"$CHECKOUT/tests/kernel/boot" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$GUEST" ||
		fail "Linux $1 did not run to its end: $(tail -n 20 "$GUEST/console")" || return
	rm "$BATS_TEST_TMPDIR/initramfs"
	[[ $(cat "$GUEST/release") == "$1"[.-]* ]]
}

# step NAME: sets $status, $output and $lines as a run here would have.
step() {
	status=$(cat "$GUEST/$1.status")
	output=$(cat "$GUEST/$1.out")
	mapfile -t lines <<<"$output"
	printf '[guest] %s\n%s\n(status %s)\n' "$1" "$output" "$status"
}

step_succeeds() {
	step "$1"
	[ "$status" -eq 0 ] || fail "$1"
}

# method_is METHOD: of attaching, which the reports tell.
method_is() { contains "\"attach\": \"$1\""; }

# A program of today's Go and one of an old one are traced from their first goroutine on, by all probes that there are.
traces_are_true() {
	step_succeeds both
	method_is "$1"
	[[ $output =~ \"CPUSample\":\ [1-9] ]] || fail "no sample of the CPU"
	views_ok "$GUEST/gotap.trace"
	run_logged "$ORACLE/diff" "${KERNEL_LIMITS[@]}" "$GUEST/runtime.trace" "$GUEST/gotap.trace"
	explain "Linux $(cat "$GUEST/release"), $1
$(findings)"
	[ "$status" -eq 0 ]
	step_succeeds old
	views_ok "$GUEST/old.trace"
}

# counted NAME LIST: how many of these the trace of that name has, by gotap requests.
counted() { "$GOTAP" requests --json "$GUEST/$1.trace" | jq "[.$2[].count] | add"; }

# served_and_sent NAME: its trace has the requests that the program sends to itself, on both sides.
served_and_sent() {
	step_succeeds "$1"
	views_ok "$GUEST/$1.trace"
	[ "$(counted "$1" routes)" -gt 20 ] && [ "$(counted "$1" calls)" -gt 20 ] || fail "$1"
}

# Groups http, sql and grpc, and functions: each has what the program did.
requests_are_there() {
	local name
	served_and_sent requests
	for name in queries regions grpc; do
		step_succeeds "$name"
		views_ok "$GUEST/$name.trace"
	done
	[ "$(counted queries calls)" -gt 5 ]
	[ "$("$GOTAP" func --json "$GUEST/regions.trace" 'main.*' | jq '[.functions[].calls] | add')" -gt 5 ]
	grep -E '^(served|called|median) ' "$GUEST/grpc.out" >"$BATS_TEST_TMPDIR/counts"
	"$GOTAP" text --events --json "$GUEST/grpc.trace" >"$BATS_TEST_TMPDIR/events"
	succeeds python3 "$CHECKOUT/tests/lib/grpc.py" "$BATS_TEST_TMPDIR/counts" "$BATS_TEST_TMPDIR/events"
}

# The same of an old program, and calls in all of their ways.
more_requests_are_there() {
	served_and_sent requests-old
	step_succeeds calls
	views_ok "$GUEST/calls.trace"
	[ "$(counted calls calls)" -gt 20 ]
}

# Of a map and of a slice.
labels_are_true() {
	local name
	for name in labels labels-old; do
		step_succeeds "$name"
		"$GOTAP" text --events --json "$GUEST/$name.trace" >"$BATS_TEST_TMPDIR/$name"
		succeeds python3 "$CHECKOUT/tests/lib/labels_truth.py" "$BATS_TEST_TMPDIR/$name"
	done
}

# Attached to a program in a PID namespace.
namespace_is_traced() {
	step_succeeds namespace
	views_ok "$GUEST/namespace.trace"
}

# Attached to a running program: strict, and nothing is left behind, even by one that was killed.
leaves_no_trace() {
	step_succeeds attach
	views_ok "$GUEST/attach.trace"
	step_succeeds killed
	views_ok "$GUEST/killed.trace.partial"
	step_succeeds left
}

# What doctor says of the instructions is what the kernel does.
instructions_are_as_told() {
	step_succeeds doctor
	contains "This program can be traced."
	matches '^  ok    BPF programs +the kernel takes them'
	matches '^  ok    threads +--events \+linux '
	matches ' emulated +call of '
	matches ' stepped '
	step_succeeds emulated
	step_succeeds stepped
}

# Group linux: it has time for each cause that keeps threads off CPUs, and none that is unknown.
threads_are_seen() {
	step_succeeds threads
	views_ok "$GUEST/threads.trace"
	python3 "$CHECKOUT/tests/lib/threads.py" "$GUEST/threads.out" 'total.throttled_seconds > 0.2 and
		d["cgroup"]["quota_cpus"] == 0.1 and d["cgroup"]["throttled_periods"] > 0 and total.on_cpu_seconds > 0.02 and
		min(x.stopped for x in t.values()) > 0.1 and max(x.frozen for x in t.values()) > 0.1 and
		total.unknown == 0 and total.woken > 0 and d["switches_of_others"] > 0 and d["lost"] == 0 and
		d["cgroup"]["pressure"]["cpu"]["of"] == "cgroup" and d["cgroup"]["pressure"]["cpu"]["some_seconds"] > 0.1'
	what_is_lacking_is_told "$1"
}

# Faults for pages in swap. A fault has no wait if the emulated disk answers before the thread sleeps, which depends on
# the host: there were 95 waits in 388 faults, and 304 in 409. It has more than one if the kernel takes its page away
# again.
swap_is_seen() {
	local faults waits
	step_succeeds swap
	faults=$(sed -n 's/^faults //p' <<<"$output") waits=$(sed -n 's/^waits //p' <<<"$output")
	views_ok "$GUEST/swap.trace"
	[ "$faults" -ge 200 ]
	[ "$waits" -ge 20 ]
	[ "$waits" -le $((faults * 2)) ]
	python3 "$CHECKOUT/tests/lib/threads.py" "$GUEST/swap.out" 'total.page_fault > 0.001 and total.unknown == 0 and d["lost"] == 0 and
		d["cgroup"]["pressure"]["memory"]["of"] == "cgroup" and d["cgroup"]["pressure"]["memory"]["some_seconds"] > 0'
}

# The report and doctor both name what this kernel lacks.
what_is_lacking_is_told() {
	local want
	case $1 in
	5.10 | 6.1) want='throttled time in which a CPU idles (before Linux 6.6)' ;;
	7.2 | 7.3) want='throttled time of a thread after it was moved to another CPU (since Linux 7.3, and in 7.2.12)' ;;
	esac
	python3 "$CHECKOUT/tests/lib/threads.py" "$GUEST/threads.out" "d['not_told'] == ([] if not '${want:-}' else ['${want:-}'])"
	step doctor
	contains "${want:+not known on this kernel: $want}"
}

# One line, which names it.
missing_btf_is_named() {
	step btf-record
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: this kernel's BTF (/sys/kernel/btf/vmlinux) cannot be read: mount /sys, or give a file of this kernel's with --btf, from BTFHub or pahole (docs/kernels.md)" ]
	step btf-doctor
	[ "$status" -eq 1 ]
	matches '^  FAIL  BTF '
	contains "Cannot trace: this kernel's BTF"
}

# With CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE alone: it works, or what else it takes is named.
needs_are_named() {
	step nobody
	case $1 in
	'') [ "$status" -eq 0 ] ;;
	*) [ "$status" -eq 1 ]; [ "${#lines[@]}" -eq 1 ] || fail "more than a line"; contains "$1" ;;
	esac
}

# --follow: the trace begins before main, whose creation is in it. --on crash: the snapshot names the goroutine that
# panicked.
followed_and_dead_are_seen() {
	step_succeeds follow
	contains '"exe": "/bin/mixed"'
	contains '"from_start": true'
	views_ok "$GUEST/follow.1.trace"
	"$ORACLE/check" -goroutines "$GUEST/follow.1.trace" | grep '^goroutine 1 ' | grep -v first=NotExist
	step_succeeds crash
	views_ok "$GUEST/crash.1.trace"
	grep -qE '"what": "goroutine [0-9]+: panic: runtime error: invalid memory address or nil pointer dereference' "$GUEST/crash.1.trace.json"
	grep -q '"main.leaf ' "$GUEST/crash.1.trace.json"
}

# records_on METHOD [NEED]: what came out of the first steps and the last one. NEED is what users other than root need
# besides three capabilities.
records_on() {
	instructions_are_as_told
	traces_are_true "$1"
	requests_are_there
	leaves_no_trace
	missing_btf_is_named
	needs_are_named "${2:-}"
}

# works_in_brief RELEASE METHOD [NEED]: programs are launched, attached to, and recorded with all probes.
works_in_brief() {
	boot "$1" brief
	records_on "${@:2}"
}

# works_on RELEASE METHOD [NEED]: all of it.
works_on() {
	boot "$1"
	records_on "${@:2}"
	more_requests_are_there
	labels_are_true
	namespace_is_traced
	threads_are_seen "$1"
	swap_is_seen
	followed_and_dead_are_seen
}
