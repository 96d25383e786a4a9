# SPDX-License-Identifier: Apache-2.0
#
# With how little gotap gets by, what it gives up, and what it says when something is missing.

load lib/common

setup() {
	require_root
	require_tool setpriv capsh
	open_place
}

teardown() {
	stop_targets
	close_place
}

# with_caps CAP,CAP... COMMAND...: as user nobody, with these capabilities and no others.
with_caps() {
	local caps=-all list=$1
	shift
	[ -z "$list" ] || caps+=,+${list//,/,+}
	run_logged setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$caps" --ambient-caps="$caps" \
		--bounding-set="$caps" "$@"
}

require_multi() {
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
}

# without CAP: what gotap says without one of the three.
without() {
	local list
	list=$(tr ' ' '\n' <<<"bpf perfmon sys_ptrace" | grep -vx "$1" | paste -sd,)
	with_caps "$list" "$PLACE/gotap" record -p "$TARGET" -d 100ms -o /dev/null
	[ "$status" -eq 1 ]
}

@test "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE are enough for root's programs" {
	require_multi
	build_prog 1.26 mixed
	start_target "$PROG" -tail 10m
	: >"$PLACE/x.trace"
	chmod 666 "$PLACE/x.trace"
	with_caps bpf,perfmon,sys_ptrace "$PLACE/gotap" record -p "$TARGET" -d 1s -o "$PLACE/x.trace"
	[ "$status" -eq 0 ]
	contains "lost: 0, repairs: 0"
	views_ok "$PLACE/x.trace"
}

@test "file capabilities on gotap do as well" {
	require_multi
	build_prog 1.26 pingpong
	start_target "$PROG"
	setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep "$PLACE/gotap" || skip "no file capabilities here"
	run_logged setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/gotap" record -p "$TARGET" -d 200ms -o /dev/null
	[ "$status" -eq 0 ]
}

@test "one's own programs need no CAP_SYS_PTRACE" {
	require_multi
	build_prog 1.26 pingpong
	cp "$PROG" "$PLACE/pingpong"
	with_caps bpf,perfmon "$PLACE/gotap" record -d 500ms -o /dev/null "$PLACE/pingpong" -n 10000
	contains "lost: 0, repairs: 0"
}

@test "what is missing is named, exactly" {
	require_multi
	build_prog 1.26 pingpong
	start_target "$PROG"
	without bpf
	contains "not allowed to load BPF programs: CAP_BPF is missing; run gotap as root"
	without perfmon
	contains "not allowed to load BPF programs: CAP_PERFMON is missing; run gotap as root"
	without sys_ptrace
	contains "not allowed to read the program of process $TARGET"
	contains "CAP_SYS_PTRACE"
	with_caps "" "$PLACE/gotap" doctor
	[ "$status" -eq 1 ]
	contains "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE are missing; run gotap as root, or once: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep"
	with_caps bpf,perfmon,sys_ptrace "$PLACE/gotap" doctor -p "$TARGET"
	[ "$status" -eq 0 ]
}

# The file with the auxiliary vector is its owner's, so the stack is read. Where nobody answers, that is not waited for.
@test "the stack of a program has a page that nobody provides" {
	require_multi
	build_prog "$REFERENCE_GO" strange
	start_target "$PROG" -as stack $(seq 2000) || { grep -q 'no userfaultfd' "$TARGET_OUT" && skip "no userfaultfd"; }
	with_caps bpf,perfmon,sys_ptrace timeout -s KILL 60 "$PLACE/gotap" record -d 100ms -o /dev/null -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "the memory of process $TARGET does not answer: reading the stack"
}

@test "perf uprobes name CAP_SYS_ADMIN where the kernel wants it" {
	build_prog 1.26 pingpong
	start_target "$PROG"
	with_caps bpf,perfmon,sys_ptrace "$PLACE/gotap" record --attach perf -p "$TARGET" -d 100ms -o /dev/null
	[ "$status" -eq 0 ] || contains "CAP_SYS_ADMIN is missing"
	with_caps bpf,perfmon,sys_ptrace,sys_admin "$PLACE/gotap" record --attach perf -p "$TARGET" -d 100ms -o /dev/null
	[ "$status" -eq 0 ]
}

@test "a root of a user namespace learns that it is none" {
	build_prog 1.26 pingpong
	run_logged unshare -Ur "$PLACE/gotap" record -d 100ms -o /dev/null "$PROG"
	[[ $output != *"Operation not permitted"*unshare* ]] || skip "no user namespaces here"
	[ "$status" -eq 125 ]
	contains "user namespace"
}

# Only what later reads of the target's memory take: every thread of gotap, and nothing that could be regained.
@test "after the attach all but CAP_SYS_PTRACE is given up" {
	local task pid
	build_prog 1.26 pingpong
	start_target "$PROG"
	"$GOTAP" record -q -p "$TARGET" -d 2m -o /dev/null 3>&- &
	pid=$!
	TARGETS+=" $pid"
	wait_for 60 eval '[ "$(ls /proc/'$pid'/task | wc -l)" -gt 1 ]'
	for task in /proc/"$pid"/task/*; do
		run_logged grep -E 'Cap(Eff|Prm)' "$task/status"
		[ "$(capsh --decode="$(sed -n 's/^CapEff:\t//p' "$task/status")")" = "0x0000000000080000=cap_sys_ptrace" ]
		[ "$(sed -n 's/^CapPrm:\t//p' "$task/status")" = 0000000000080000 ]
	done
}

# Into a folder that root may not write without CAP_DAC_OVERRIDE, which gotap keeps for the end, without effect.
@test "the processes that gotap forks keep no rights to files" {
	local pid child folder=$BATS_TEST_TMPDIR/closed
	build_prog 1.26 pingpong
	start_target "$PROG"
	mkdir "$folder"
	chmod 555 "$folder"
	"$GOTAP" record -q -p "$TARGET" -d 2m -o "$folder/trace" 3>&- &
	pid=$!
	TARGETS+=" $pid"
	wait_for 60 eval 'grep -q "^CapEff:.*0000000000080000$" /proc/'$pid'/status'
	[ "$((0x$(sed -n 's/^CapPrm:\t//p' "/proc/$pid/status") & 0xa))" -ne 0 ]
	pgrep -x gotap-prober -P "$pid"
	wait_for 60 children_keep_no_rights "$pid"
}

# A process that was just forked has not yet dropped them; one that has ended has none.
children_keep_no_rights() {
	local child caps
	for child in $(pgrep -P "$1"); do
		caps=$(sed -n 's/^CapPrm:\t//p' "/proc/$child/status" 2>/dev/null) || continue
		[ $((0x${caps:-0} & 0xa)) -eq 0 ] || return
	done
}

@test "a launched program keeps its own" {
	require_root
	run_logged "$GOTAP" --version
	build_prog 1.26 pingpong
	"$GOTAP" record -q -d 2m -o /dev/null "$PROG" 3>&- >/dev/null &
	TARGETS+=" $!"
	wait_for 60 pgrep -x pingpong -P "$!"
	[ "$(grep CapEff "/proc/$(pgrep -x pingpong -P "$!")/status")" = "$(grep CapEff /proc/self/status)" ]
	kill "$(pgrep -x pingpong -P "$!")"
}
