#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# make static: a gotap without shared libraries, in a root that holds nothing else. It takes a build of its own, and is
# left to `make soak`; `make test` asserts that a gotap says how it was built.

load lib/common
load lib/chroot
load lib/container

STATIC=$BUILD/static/gotap

setup() { ROOT=$BATS_TEST_TMPDIR/root; }

teardown() {
	if [ -n "${BOX:-}" ]; then stop_containers; else stop_targets; fi
}

made() {
	alone static make -s -C "$CHECKOUT" BUILD="$BUILD" static
	! readelf -lW "$STATIC" | grep INTERP
	mkdir -p "$ROOT/tmp"
	cp "$STATIC" "$ROOT/gotap"
}

@test "--version and doctor say how this gotap was built" {
	local how=static
	if readelf -lW "$GOTAP" | grep -q INTERP; then how="with shared libraries"; fi
	succeeds "$GOTAP" --version
	matches "^build: amd64, gcc [0-9.]+, $how$"
	matches '^libraries: libbpf v[0-9.]+, libdw [0-9.]+$'
	matches "^kernel: Linux $(uname -r), with(out)? BTF$"
	run_logged "$GOTAP" doctor --json
	[ "$(grep -c '"this gotap"' <<<"$output")" -eq "$("$GOTAP" --version | grep -c '^lacks:')" ]
}

# bats test_tags=soak-only
@test "a static gotap records a Go program in an empty root, and reports" {
	require_root
	build_prog "$REFERENCE_GO" mixed
	made
	cp "$PROG" "$ROOT/program"
	in_root /gotap record -e +linux -o /tmp/trace.out -- /program
	[ "$status" -eq 0 ]
	in_root /gotap check /tmp/trace.out
	[ "$status" -eq 0 ]
	in_root /gotap report /tmp/trace.out
	[ "$status" -eq 0 ]
	contains " main."
	[ "$(find "$ROOT" -type f | sort | tr '\n' ' ')" = \
		"$ROOT/gotap $ROOT/program $ROOT/tmp/trace.out $ROOT/tmp/trace.out.threads " ]
}

# bats test_tags=soak-only
@test "a static gotap in an empty root attaches to a program, in each way, and lists it" {
	local way
	require_root
	build_prog "$REFERENCE_GO" mixed
	made
	start_target "$PROG" -delay 10m
	for way in auto inline; do
		in_root /gotap record --attach $way -p "$TARGET" -d 200ms -o /tmp/$way.out
		[ "$status" -eq 0 ]
		in_root /gotap check /tmp/$way.out
		[ "$status" -eq 0 ]
	done
	in_root /gotap stacks -p "$TARGET"
	[ "$status" -eq 0 ]
	contains "main.main"
	in_root /gotap ps --json
	[ "$status" -eq 0 ]
	[ "$(jq -r ".processes[] | select(.pid == $TARGET).user" <<<"$output")" = 0 ] || fail "no /etc/passwd, no name"
	mkdir "$ROOT/etc"
	printf 'boss:x:0:0:::\n' >"$ROOT/etc/passwd"
	in_root /gotap ps --json
	[ "$(jq -r ".processes[] | select(.pid == $TARGET).user" <<<"$output")" = boss ]
}

# bats test_tags=soak-only
@test "what a static gotap lacks it says: names of users, debug data of servers" {
	made
	in_root /gotap --version
	matches '^build: .*, static$'
	[ "$(grep -c '^lacks:' <<<"$output")" -eq 2 ]
	matches '^lacks: names of users'
	matches '^lacks: debug data of servers'
	in_root /gotap doctor
	matches 'this gotap +static, lacks names of users'
}

# libmicrohttpd is linked without GnuTLS (user/serve/no_tls.c).
# bats test_tags=soak-only
@test "gotap serve of a static gotap, in an empty root: a recording, and its end" {
	local server
	require_root
	build_prog "$REFERENCE_GO" mixed
	made
	start_target "$PROG" -tail 10m
	unshare --mount bash -c 'cd "$1" && mkdir -p proc sys dev && mount --rbind /proc proc && mount --rbind /sys sys &&
		mount --rbind /dev dev && exec chroot . /gotap serve --listen unix:/tmp/s' - "$ROOT" 3>&- &
	server=$!
	TARGETS+=" $server"
	wait_for 30 test -S "$ROOT/tmp/s"
	succeeds curl -sS --fail-with-body --unix-socket "$ROOT/tmp/s" "http://x/debug/pprof/trace?pid=$TARGET&seconds=0.5" -o "$BATS_TEST_TMPDIR/trace"
	views_ok "$BATS_TEST_TMPDIR/trace"
	succeeds curl -sS --fail-with-body --unix-socket "$ROOT/tmp/s" "http://x/processes"
	matches "^ *$TARGET "
	kill "$server"
	wait "$server"
}

# What an Alpine has and no glibc: busybox, and musl as the C library. (Alpine's own packages are not to be had here.)
# bats test_tags=soak-only
@test "a static gotap where musl is the C library, in a chroot and under runc" {
	require_root
	require_package musl bookworm
	build_prog "$REFERENCE_GO" mixed
	made
	container_setup
	image "$PROG"
	mkdir -p "$BOX/root/lib" "$BOX/root/usr/bin"
	cp "$PACKAGE_ROOT"/lib/x86_64-linux-musl/libc.so "$BOX/root/lib/ld-musl-x86_64.so.1"
	cp "$STATIC" "$BOX/root/usr/bin/gotap"
	[ -z "$(find "$BOX/root" -name 'libc.so.6' -o -name 'ld-linux*')" ]
	ROOT=$BOX/root
	in_root /bin/sh -c '/lib/ld-musl-x86_64.so.1; gotap record -o /tmp/trace.out -- /bin/mixed -dur 200ms -tail 0s && gotap check /tmp/trace.out && gotap report /tmp/trace.out'
	[ "$status" -eq 0 ]
	contains "musl libc"
	views_ok "$ROOT/tmp/trace.out"
	SPEC_EDIT='
for kind in ("bounding", "effective", "permitted"):
    c["process"]["capabilities"][kind] = ["CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE"]
c["linux"].pop("seccomp", None)' spec /bin/sh -c 'gotap record -o /tmp/runc.out -d 300ms -- /bin/mixed -dur 200ms -tail 0s'
	RUNC_IDS+=" gotap-$$-musl"
	run_logged runc run -b "$BOX" "gotap-$$-musl" </dev/null
	[ "$status" -eq 0 ]
	views_ok "$ROOT/tmp/runc.out"
}
