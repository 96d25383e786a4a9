# SPDX-License-Identifier: Apache-2.0
#
# Go programs in real containers, recorded from the host: by process id, by name, by id; on overlayfs, with namespaces
# of their own, after the program's file is gone. And gotap itself in a container.

load lib/common
load lib/modes
load lib/container

setup() { container_setup; }
teardown() { stop_containers; }

MIXED=(/bin/mixed -tail 10m)

# record_ok ARGUMENT...: a second of it, without a loss or a repair, valid for Go's own reader.
record_ok() {
	TRACE=$BATS_TEST_TMPDIR/x.trace
	succeeds "$GOTAP" record --budget none "$@" -d 1s -o "$TRACE" || return
	contains "lost: 0, repairs: 0" && views_ok "$TRACE"
}

# The threads that ran goroutines, as the trace has them, are among those that a folder of tasks has.
threads_are() {
	local tid n=0
	for tid in $("$GOTAP" text "$TRACE" | sed -n 's/^EventBatch .*m=\([0-9]*\).*/\1/p' | sort -u); do
		# no thread; and the batches of the objects of waits (tracev2.h)
		[ "$tid" != 18446744073709551615 ] && [ "$tid" != 512735409267 ] || continue
		grep -qx "$tid" <<<"$1" || { fail "thread $tid is none of $(tr '\n' ' ' <<<"$1")"; return; }
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || fail "no threads"
}

inner_tids() { sed -n 's/^NSpid:.*\t//p' /proc/"$1"/task/*/status; }

@test "runc, by process id, uprobe_multi and perf: threads as the host sees them" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-pid" "${MIXED[@]}"
	[ "$(inner_tids "$TARGET" | head -n 1)" -eq 1 ] || fail "no PID namespace"
	record_ok -p "$TARGET" --attach perf
	threads_are "$(ls "/proc/$TARGET/task")"
	record_ok -p "$TARGET"
	threads_are "$(ls "/proc/$TARGET/task")"
}

@test "runc, threads as the container sees them" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-tids" "${MIXED[@]}"
	record_ok -p "$TARGET" --container-tids
	threads_are "$(inner_tids "$TARGET")"
}

# Code in the program knows a thread by the id that the program knows.
@test "runc, --attach inline: threads as the container sees them" {
	require_inline
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-inline" "${MIXED[@]}"
	record_ok -p "$TARGET" --attach inline
	threads_are "$(inner_tids "$TARGET")"
	succeeds "$GOTAP" record -v --budget none -p "$TARGET" --attach inline -d 1s -o "$TRACE"
	contains "all of it was taken out: the program is as before"
	! grep -E '/memfd:gotap' "/proc/$TARGET/maps" || fail "memory of gotap's is left"
}

@test "runc, by name; Go 1.22 and 1.27" {
	local go
	for go in 1.22 1.27; do
		build_prog "$go" mixed
		image "$PROG"
		run_container "gotap-$$-${go/./-}" "${MIXED[@]}"
		record_ok --container "gotap-$$-${go/./-}"
		succeeds "$GOTAP" stacks --container "gotap-$$-${go/./-}"
		matches '^main\.[a-z.0-9]+\(\.\.\.\)$'
		matches '^created by main\.'
		runc delete -f "gotap-$$-${go/./-}"
		umount "$BOX/root"
	done
}

@test "the program's file deleted from the image, or replaced by another" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-gone" "${MIXED[@]}"
	rm "$BOX/root/bin/mixed"
	[[ $(readlink "/proc/$TARGET/exe") == *"(deleted)" ]] || fail "still there"
	record_ok --container "gotap-$$-gone"
	build_prog 1.27 pingpong
	cp "$PROG" "$BOX/root/bin/mixed"
	record_ok -p "$TARGET"
	record_ok -p "$TARGET" --attach perf
	gotap doctor -p "$TARGET"
	contains "go1.26"
}

@test "a user namespace of its own" {
	build_prog 1.26 mixed
	image "$PROG"
	chmod 755 "$BOX"
	chmod -R a+rX "$BOX/lower" "$BOX/upper"
	SPEC_EDIT='
c["linux"]["namespaces"].append({"type": "user"})
c["linux"]["uidMappings"] = c["linux"]["gidMappings"] = [{"containerID": 0, "hostID": 100000, "size": 65536}]
c["mounts"] = [m for m in c["mounts"] if m["type"] in ("proc", "tmpfs")]' \
		run_container "gotap-$$-user" "${MIXED[@]}"
	[ "$(stat -c %u "/proc/$TARGET")" -eq 100000 ] || fail "not in a user namespace"
	record_ok --container "gotap-$$-user"
}

@test "a shell is first and the Go program its child" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-child" /bin/sh -c '/bin/mixed -tail 10m & wait'
	record_ok --container "gotap-$$-child"
	gotap doctor --container "gotap-$$-child"
	contains "$(pgrep -P "$TARGET") (mixed)"
}

@test "several Go programs, none of them first: an error that lists them" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-two" /bin/sh -c '/bin/mixed -tail 10m & /bin/mixed -tail 10m & wait'
	wait_for 60 eval '[ "$(pgrep -c -x mixed -P $TARGET)" -eq 2 ]'
	gotap record --container "gotap-$$-two" -o /dev/null
	[ "$status" -eq 1 ]
	for pid in $(pgrep -P "$TARGET"); do contains "$pid (mixed)"; done
	contains "give one of them with -p"
}

@test "no Go program, no container, no name" {
	build_prog 1.26 mixed
	image "$PROG"
	run_container "gotap-$$-none" /bin/sh -c 'echo ready; sleep 100 & wait'
	gotap record --container "gotap-$$-none" -o /dev/null
	[ "$status" -eq 1 ]
	contains "no Go program runs in container 'gotap-$$-none'"
	gotap record --container nowhere -o /dev/null
	[ "$status" -eq 1 ]
	contains "no container 'nowhere'"
	gotap record --container '' -o /dev/null
	[ "$status" -eq 2 ]
	gotap record --container x -p 1 -o /dev/null
	[ "$status" -eq 2 ]
}

@test "containerd: ctr, two namespaces" {
	local namespace
	build_prog 1.26 mixed
	image "$PROG"
	start_containerd
	export GOTAP_STATE_ROOT=$BOX
	for namespace in default k8s.io; do
		run_ctr "$namespace" "hand-$namespace" "${MIXED[@]}"
		record_ok --container "hand-$namespace"
		record_ok -p "$TARGET"
		gotap ps
		matches " $TARGET .*containerd:hand-$namespace "
	done
}

FIXTURE=$CHECKOUT/tests/fixtures/container/root
id_of() { printf '%.0s'"$1" {1..11} | cut -c -64; }

# The folders are files (tests/fixtures/container), the process and its cgroup are real.
@test "docker, podman, CRI-O, Kubernetes: by name, by id, by pod" {
	local pod=7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4 query
	build_prog 1.26 mixed
	export GOTAP_STATE_ROOT=$FIXTURE
	in_cgroup "/docker/$(id_of d0c4e5)" "$PROG" -tail 10m
	record_ok --container web
	record_ok --container d0c4e5
	gotap doctor --container web
	contains "docker:web"
	stop_target
	in_cgroup "/machine.slice/libpod-$(id_of 90d3a1).scope" "$PROG" -tail 10m
	record_ok --container api
	stop_target
	in_cgroup "/kubepods.slice/kubepods-pod${pod//-/_}.slice/crio-$(id_of c510a1).scope" "$PROG" -tail 10m
	for query in pay pay-0 bank/pay-0 bank/pay-0/pay "$pod" c510a1; do
		succeeds "$GOTAP" record --container "$query" -d 100ms -o /dev/null
	done
	gotap ps
	matches " $TARGET .*cri-o:bank/pay-0/pay "
	gotap record --container web -o /dev/null
	[ "$status" -eq 1 ]
	contains "container 'web' is not running"
}

@test "a C program with a Go library in it" {
	require_tool gcc
	as_library 1.26 c-shared so
	export GOTAP_STATE_ROOT=$FIXTURE
	in_cgroup "/docker/$(id_of d0c4e5)" "$PROG" -tail 10m
	record_ok --container web
	gotap ps
	matches " $TARGET .*docker:web .*\(libmixed\.so in main\)$"
}

@test "a container that no folder names, by its id" {
	build_prog 1.26 mixed
	export GOTAP_STATE_ROOT=$BATS_TEST_TMPDIR
	in_cgroup "/docker/$(id_of f00d42)" "$PROG" -tail 10m
	record_ok --container f00d42
	gotap ps
	matches " $TARGET .*docker:f00d42f00d42 "
}

# A privileged container has the capabilities and /sys; bpf() needs nothing else.
PRIVILEGED='
import os
all_caps = ["CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE", "CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE", "CAP_KILL"]
for kind in ("bounding", "effective", "permitted"):
    c["process"]["capabilities"][kind] = all_caps
c["process"]["apparmorProfile"] = ""
c["linux"].pop("seccomp", None)
for path in ("maskedPaths", "readonlyPaths"):
    c["linux"].pop(path, None)
c["mounts"] = [m for m in c["mounts"] if m["destination"] not in ("/sys", "/sys/fs/cgroup")]
for host, there in (("/sys", "/sys"), ("/usr", "/usr"), ("/lib", "/lib"), ("/lib64", "/lib64"), ("/proc", "/host/proc"),
                    (os.environ["GOTAP"], "/gotap"), (os.environ["OUT"], "/out")):
    c["mounts"].append({"destination": there, "type": "bind", "source": host, "options": ["rbind", "rprivate"]})'

# gotap_inside NAME ARGUMENT...: runs gotap in a privileged container; what it prints is in $output.
gotap_inside() {
	local name=gotap-$$-$1
	shift
	export GOTAP OUT=$BATS_TEST_TMPDIR
	mkdir -p "$BOX/root"/{host/proc,out,lib64}
	RUNC_IDS+=" $name"
	SPEC_EDIT=$PRIVILEGED spec "$@"
	run_logged runc run -b "$BOX" "$name" </dev/null
	[ "$status" -eq 0 ]
}

@test "gotap in a privileged container, the host's /proc mounted there" {
	build_prog 1.26 mixed
	image "$PROG"
	start_target "$PROG" -tail 10m
	gotap_inside multi /gotap record --budget none --proc /host/proc -p "$TARGET" -d 1s -o /out/a.trace
	contains "lost: 0, repairs: 0"
	gotap_inside perf /gotap record --budget none --proc /host/proc -p "$TARGET" --attach perf -d 1s -o /out/b.trace
	contains "lost: 0, repairs: 0"
	gotap_inside cpu /gotap record --budget none --proc /host/proc -p "$TARGET" --cpu-samples 1000 -d 1s -o /out/c.trace
	contains "lost: 0, repairs: 0"
	[ "$(count_of "$BATS_TEST_TMPDIR/c.trace" StackSample)" -gt 0 ]
	gotap_inside ps /gotap ps --proc /host/proc
	matches "^ *$TARGET "
	views_ok "$BATS_TEST_TMPDIR/a.trace" "$BATS_TEST_TMPDIR/b.trace"
	TRACE=$BATS_TEST_TMPDIR/a.trace threads_are "$(ls "/proc/$TARGET/task")"
}

@test "gotap in a privileged container, a program of the same container" {
	build_prog 1.26 mixed
	image "$PROG"
	gotap_inside own /gotap record --budget none -d 1s -o /out/a.trace /bin/mixed -dur 200ms -tail 0s
	contains "lost: 0, repairs: 0"
	gotap_inside sibling /bin/sh -c '/bin/mixed -tail 10m >/out/said & until grep -q ready /out/said; do sleep 0.1; done; /gotap record --budget none -p $! -d 1s -o /out/b.trace'
	contains "lost: 0, repairs: 0"
	views_ok "$BATS_TEST_TMPDIR/a.trace" "$BATS_TEST_TMPDIR/b.trace"
	TRACE=$BATS_TEST_TMPDIR/b.trace threads_are "$(seq 2 100)"
}
