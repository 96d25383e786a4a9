#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# make static: a gotap without shared libraries, in a root that holds nothing else. It takes a build of its own, and is
# left to `make soak`; `make test` asserts that a gotap says how it was built.

load lib/common
load lib/chroot

STATIC=$BUILD/static/gotap

setup() { ROOT=$BATS_TEST_TMPDIR/root; }

teardown() { stop_targets; }

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
	contains "main.unbuffered"
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
@test "what a static gotap lacks it says: serve, names of users" {
	made
	in_root /gotap --version
	matches '^build: .*, static$'
	matches '^lacks: .gotap serve.'
	matches '^lacks: names of users'
	in_root /gotap doctor
	matches 'this gotap +static, lacks .gotap serve.'
	in_root /gotap serve --listen unix:/tmp/s
	[ "$status" -eq 1 ]
	contains "built without"
}
