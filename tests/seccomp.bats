#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# deploy/seccomp/gotap.json, a profile of system calls for container runtimes: gotap makes no call that it lacks, and works in a
# container of runc that has it.

load lib/common
load lib/container
load lib/deploy

export PROFILE=$CHECKOUT/deploy/seccomp/gotap.json

setup() {
	require_tool jq strace curl
	container_setup
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -tail 10m
}
teardown() { stop_containers; }

# allowed: the names of the profile.
allowed() { jq -r '.syscalls[].names[]' "$PROFILE" | sort -u; }

# calls FILE...: the system calls that strace saw.
calls() { sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' "$@" | sort -u; }

# traced NAME ARGUMENT...: gotap under strace; $BOX/NAME.calls.
traced() { succeeds strace -f -qq -e signal=none -o "$BOX/$1.calls" "$GOTAP" "${@:2}"; }

@test "record, top, stacks, ps, doctor, report and serve make no system call that the profile lacks" {
	local server asked
	traced record record -e +linux --cpu-samples 100 -p "$TARGET" -d 200ms -o "$BOX/x.trace"
	traced inline record --attach inline --budget none -p "$TARGET" -d 300ms -o "$BOX/y.trace"
	traced perf record --attach perf -p "$TARGET" -d 100ms -o "$BOX/z.trace"
	traced report report "$BOX/x.trace"
	traced top top --json -n 1 -i 100ms -p "$TARGET"
	traced stacks stacks -p "$TARGET"
	traced ps ps
	traced doctor doctor -p "$TARGET"
	strace -f -qq -e signal=none -o "$BOX/serve.calls" "$GOTAP" serve -q --listen "unix:$BOX/socket" 3>&- &
	server=$!
	TARGETS+=" $server"
	wait_for 30 test -S "$BOX/socket"
	for asked in "debug/pprof/trace?pid=$TARGET&seconds=0.2" "debug/pprof/goroutine?pid=$TARGET" processes metrics; do
		succeeds curl -sS --fail-with-body --unix-socket "$BOX/socket" "http://x/$asked" -o "$BOX/answer"
	done
	kill "$(pgrep -P "$server" | head -n 1)"
	wait "$server"
	diff /dev/null <(comm -13 <(allowed) <(calls "$BOX"/*.calls)) || fail "the profile lacks them"
	[ "$(calls "$BOX"/*.calls | wc -l)" -gt 60 ]
}

@test "the profile has no name twice, none that the kernel lacks, and none of those that no container should have" {
	[ -z "$(jq -r '.syscalls[].names[]' "$PROFILE" | sort | uniq -d)" ]
	[ "$(jq -r .defaultAction "$PROFILE")" = SCMP_ACT_ERRNO ]
	! grep -xE 'mount|umount2|pivot_root|setns|unshare|init_module|finit_module|delete_module|kexec_.*|reboot|swapon|swapoff|process_vm_writev|open_by_handle_at|keyctl|add_key|request_key|io_uring_.*|userfaultfd|iopl|ioperm|syslog|acct' <(allowed) || fail "no container should have it"
	diff /dev/null <(comm -23 <(allowed) <(printf '#include <sys/syscall.h>\n' | gcc -E -dM - | sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/\1/p' | sort))
}

@test "runc with the profile: a recording, and all that the daemon is for" {
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
	image_of_this "$BOX/one"
	unpack "$BOX/one"
	as_daemon /usr/bin/gotap record --budget none -e +linux --cpu-samples 100 -p "$TARGET" -d 500ms -o - >"$BOX/x.trace"
	views_ok "$BOX/x.trace"
	succeeds as_daemon /usr/bin/gotap stacks -p "$TARGET"
	contains main.main
	succeeds as_daemon /usr/bin/gotap ps
	matches "^ *$TARGET "
	succeeds as_daemon /usr/bin/gotap doctor -p "$TARGET"
	matches "note +seccomp "
	jq '.syscalls[].names -= ["bpf"]' "$PROFILE" >"$BOX/less.json"
	PROFILE=$BOX/less.json run_logged as_daemon /usr/bin/gotap record -p "$TARGET" -d 100ms -o /dev/null
	[ "$status" -eq 1 ]
	contains "a seccomp filter forbids it"
}
