#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak-only
#
# Go programs of Debian for arm64, on a machine of any architecture: gotap finds the place of each probe.

load ../lib/common

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
