#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak-only
#
# Go programs for arm64, on a machine of any architecture: gotap finds the place of each probe in programs of Debian, and in
# builds with -pgo, with cgo and as libraries those that it finds for amd64.

load ../lib/common
load ../lib/modes
load ../lib/hot

# places SUITE PACKAGE PATH: no probe of any group lacks a place for another reason than the release of Go.
places() {
	local dir program lacks
	dir=$(DEBIAN_ARCH=arm64 "$CHECKOUT/tools/go-fetch" -C "$BUILD/arm64" --package "$2" --suite "$1" --as "$2-$1" \
		2>"$BATS_TEST_TMPDIR/log") || skip "$2 cannot be had: $(tail -n 1 "$BATS_TEST_TMPDIR/log")"
	program=$dir/$3
	[ "$(od -An -tu2 -j18 -N2 "$program" | tr -d ' ')" = 183 ]
	gotap doctor --json -e all "$program"
	jq -e .traceable <<<"$output"
	lacks=$(jq -r '.missing_probes[] | select(.why | startswith("from Go ") | not) | "\(.function): \(.why)"' <<<"$output")
	[ -z "$lacks" ] || fail "$lacks"
	[ "$(jq '.probes | length' <<<"$output")" -gt 50 ]
}

@test "caddy" { places trixie caddy usr/bin/caddy; }
@test "prometheus" { places trixie prometheus usr/bin/prometheus; }
@test "etcd" { places trixie etcd-server usr/bin/etcd; }
@test "nats-server" { places trixie nats-server usr/sbin/nats-server; }
@test "rclone" { places trixie rclone usr/bin/rclone; }
@test "consul of Go 1.15" { places bullseye consul usr/bin/consul; }
@test "caddy of Go 1.19" { places bookworm caddy usr/bin/caddy; }
@test "hugo" { places trixie hugo usr/bin/hugo; }
@test "influxd of Go 1.19" { places bookworm influxdb usr/bin/influxd; }
@test "dockerd" { places trixie docker.io usr/sbin/dockerd; }
@test "restic" { places trixie restic usr/bin/restic; }
@test "gh" { places trixie gh usr/bin/gh; }

# lacks ARCH FILE: the functions without a place in FILE, a program for ARCH.
lacks() {
	local -a assume=()
	# Programs that the system's linker has made position independent do not say it before Go 1.18, nor do plugins of 1.19.
	case $VERSION in 1.15 | 1.19) assume=(--assume-go "$VERSION") ;; esac
	gotap doctor --json -e all "${assume[@]}" "$2"
	[ "$(od -An -tu2 -j18 -N2 "$2" | tr -d ' ')" = "$([ "$1" = arm64 ] && echo 183 || echo 62)" ] || fail "$2 is of another architecture"
	jq -e .traceable <<<"$output" || fail "$2 for $1: $(jq -r .error <<<"$output")"
	[ "$(jq '.probes | length' <<<"$output")" -gt 20 ]
	LACKS=$(jq -r '.missing_probes[] | "\(.function): \(.why)"' <<<"$output" | sort)
}

# as_for_amd64 DIR NAME: DIR/arm64/NAME lacks nothing that DIR/amd64/NAME has.
as_for_amd64() {
	local there
	lacks amd64 "$1/amd64/$2"
	there=$LACKS
	lacks arm64 "$1/arm64/$2"
	[ -z "$(comm -13 <(printf '%s\n' "$there") <(printf '%s\n' "$LACKS"))" ] || fail "Go $VERSION, $2: amd64: $there; arm64: $LACKS"
}

# optimized VERSION CALLER:CALLEE...: with these calls hot
optimized() {
	local arch
	VERSION=$1
	hot_profile "$@"
	optimized_by "$PROFILE"
}

optimized_by() {
	local arch dir=$BATS_TEST_TMPDIR/pgo
	require_go "$VERSION"
	for arch in amd64 arm64; do
		GOARCH=$arch CGO_ENABLED=0 "$CHECKOUT/tests/prog/build" "$VERSION" "$dir/$arch" -p pingpong "-pgo=$1"
	done
	as_for_amd64 "$dir" pingpong
}

# for releases 1.21+:
#	@test "casgstatus inlined everywhere by -pgo, Go %" { optimized % "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.21" { optimized 1.21 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.22" { optimized 1.22 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.23" { optimized 1.23 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.24" { optimized 1.24 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.25" { optimized 1.25 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.26" { optimized 1.26 "${HOT[@]}"; }
@test "casgstatus inlined everywhere by -pgo, Go 1.27" { optimized 1.27 "${HOT[@]}"; }
# end of releases

@test "-pgo with a CPU profile" {
	real_profile
	VERSION=1.27
	optimized_by "$PROFILE"
}

# mode ARCH NAME FLAG...: builds $BATS_TEST_TMPDIR/ARCH/NAME with cgo.
mode() {
	local arch=$1 name=$2 cc=gcc
	shift 2
	[ "$arch" = "$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')" ] || cc=$([ "$arch" = arm64 ] && echo aarch64 || echo x86_64)-linux-gnu-gcc
	require_tool "$cc"
	GOARCH=$arch CC=$cc CGO_ENABLED=1 GOGC=400 GOFLAGS='' GOWORK=off GO111MODULE=off \
		flock "$GO" "$GO" build "$@" -o "$BATS_TEST_TMPDIR/$arch/$name" "$BATS_TEST_TMPDIR/both.go"
	[[ $name != *.a ]] || "$cc" -o "$BATS_TEST_TMPDIR/$arch/main" "$BATS_TEST_TMPDIR/main.c" "$BATS_TEST_TMPDIR/$arch/$name" -lpthread
}

modes() {
	local arch name
	VERSION=$1
	require_go "$1"
	cat >"$BATS_TEST_TMPDIR/both.go" <<-END
		package main
		// static __thread int other[16]; static int f(int x) { other[x & 15]++; return x + 1; }
		import "C"
		import "fmt"
		//export GoMain
		func GoMain() { c := make(chan int); go func() { c <- int(C.f(3)) }(); fmt.Println(<-c) }
		func main() { GoMain() }
	END
	cat >"$BATS_TEST_TMPDIR/main.c" <<-END
		extern void GoMain(void);
		__thread long mine[40] = { 1 };
		int main(void) { mine[3]++; GoMain(); return (int)mine[5]; }
	END
	for arch in amd64 arm64; do
		mode $arch exe
		mode $arch pie -buildmode=pie
		mode $arch external '-ldflags=-s -w -linkmode=external'
		mode $arch static '-ldflags=-linkmode=external -extldflags=-static'
		mode $arch shared.so -buildmode=c-shared '-ldflags=-s -w'
		mode $arch archive.a -buildmode=c-archive
		mode $arch plugin.so -buildmode=plugin
		mode $arch race -race
	done
	for name in exe pie external static shared.so main plugin.so race; do
		as_for_amd64 "$BATS_TEST_TMPDIR" "$name"
	done
	# without build info: the release is found among its constants, which the linker has put beside the code
	aarch64-linux-gnu-objcopy --strip-all --remove-section .go.buildinfo "$BATS_TEST_TMPDIR/arm64/shared.so" "$BATS_TEST_TMPDIR/plain.so"
	lacks arm64 "$BATS_TEST_TMPDIR/plain.so"
	# its code takes g from where the library's word, or the linker, says
	GOTAP_TEST_ARM64="$(printf "$BATS_TEST_TMPDIR/arm64/%s " exe pie shared.so main plugin.so)" run "$BUILD/unit/target_arm64"
	[ "$(grep -c '^ok .*where load_g takes it from' <<<"$output")" -eq 5 ]
}

# for releases 1.15 1.19 1.21+:
#	@test "with cgo, as libraries, with the race detector, Go %" { modes %; }
@test "with cgo, as libraries, with the race detector, Go 1.15" { modes 1.15; }
@test "with cgo, as libraries, with the race detector, Go 1.19" { modes 1.19; }
@test "with cgo, as libraries, with the race detector, Go 1.21" { modes 1.21; }
@test "with cgo, as libraries, with the race detector, Go 1.22" { modes 1.22; }
@test "with cgo, as libraries, with the race detector, Go 1.23" { modes 1.23; }
@test "with cgo, as libraries, with the race detector, Go 1.24" { modes 1.24; }
@test "with cgo, as libraries, with the race detector, Go 1.25" { modes 1.25; }
@test "with cgo, as libraries, with the race detector, Go 1.26" { modes 1.26; }
@test "with cgo, as libraries, with the race detector, Go 1.27" { modes 1.27; }
# end of releases
