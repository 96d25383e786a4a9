# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the tests with real containers: images on overlayfs, runc, containerd started by hand, processes in a
# cgroup of our choice. Load after lib/common; teardown() must call stop_containers.

# A folder outside of the checkout: an overlayfs cannot lie on another one.
container_setup() {
	require_root
	BOX=$(mktemp -d /var/tmp/gotap-box.XXXXXX)
	RUNC_IDS=
	CGROUPS=
	CONTAINERD=
	CTR_IDS=
}

# image PROGRAM...: makes $BOX/lower (busybox and the programs in /bin) and mounts $BOX/root on top of it.
image() {
	local program
	require_tool busybox
	mkdir -p "$BOX"/lower/{bin,proc,dev,sys,tmp,etc} "$BOX"/{upper,work,root}
	cp "$(command -v busybox)" "$BOX/lower/bin/busybox"
	ln -sf busybox "$BOX/lower/bin/sh"
	for program; do cp "$program" "$BOX/lower/bin/"; done
	mount -t overlay overlay -o "lowerdir=$BOX/lower,upperdir=$BOX/upper,workdir=$BOX/work" "$BOX/root" ||
		skip "no overlayfs here"
}

# spec COMMAND...: writes $BOX/config.json for that command, on $BOX/root. $SPEC_EDIT is Python code that may change c.
spec() {
	require_tool runc python3
	(cd "$BOX" && rm -f config.json && runc spec) || return
	python3 - "$BOX/config.json" "$BOX/root" "${SPEC_EDIT:-pass}" "$@" <<-'END'
		import json, sys
		path, root, edit, *args = sys.argv[1:]
		c = json.load(open(path))
		c["process"]["terminal"] = False
		c["process"]["args"] = args
		c["root"] = {"path": root, "readonly": False}
		exec(edit, {"c": c})
		json.dump(c, open(path, "w"))
	END
}

# run_container NAME COMMAND...: by runc. Sets $TARGET to the host's pid of its first process, once it says "ready".
run_container() {
	local name=$1
	shift
	spec "$@" || return
	TARGET_OUT=$BOX/$name.out
	RUNC_IDS+=" $name"
	(cd "$BOX" && runc run -d --pid-file "$BOX/$name.pid" "$name" >"$TARGET_OUT" 2>&1 </dev/null 3>&-) ||
		{ cat "$TARGET_OUT"; fail "runc did not start $name"; return; }
	TARGET=$(cat "$BOX/$name.pid")
	wait_for 60 target_is_ready_or_gone || return
	grep -qx ready "$TARGET_OUT" || fail "the container ended: $(tail -n 3 "$TARGET_OUT")"
}

# start_containerd: with its own folders, all below $BOX, so that GOTAP_STATE_ROOT=$BOX shows gotap its state.
start_containerd() {
	require_tool containerd ctr containerd-shim-runc-v2
	mkdir -p "$BOX/run/containerd"
	cat >"$BOX/containerd.toml" <<-END
		version = 2
		root = "$BOX/containerd-root"
		state = "$BOX/run/containerd"
		disabled_plugins = ["io.containerd.grpc.v1.cri"]
		[grpc]
		  address = "$BOX/sock"
	END
	containerd -c "$BOX/containerd.toml" >"$BOX/containerd.log" 2>&1 3>&- &
	CONTAINERD=$!
	wait_for 60 ctr -a "$BOX/sock" version >/dev/null 2>&1 || { tail "$BOX/containerd.log"; return 1; }
}

# run_ctr NAMESPACE NAME COMMAND...
run_ctr() {
	local namespace=$1 name=$2
	shift 2
	TARGET_OUT=$BOX/$name.out
	CTR_IDS+=" $namespace/$name"
	ctr -a "$BOX/sock" -n "$namespace" run --rm --rootfs "$BOX/root" "$name" "$@" >"$TARGET_OUT" 2>&1 \
		</dev/null 3>&- &
	wait_for 60 grep -qx ready "$TARGET_OUT" || { cat "$TARGET_OUT"; return 1; }
	TARGET=$(ctr -a "$BOX/sock" -n "$namespace" task ls | awk -v name="$name" '$1 == name { print $2 }')
}

# in_cgroup PATH COMMAND...: start_target, with the process in that cgroup of every hierarchy that takes it.
in_cgroup() {
	local path=$1 dir
	shift
	start_target "$@" || return
	for dir in /sys/fs/cgroup/pids /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -w "$dir/cgroup.procs" ] || continue
		mkdir -p "$dir$path" && echo "$TARGET" >"$dir$path/cgroup.procs" && CGROUPS+=" $dir$path"
	done 2>/dev/null
	grep -q "$path" "/proc/$TARGET/cgroup" || skip "cannot make a cgroup here"
}

stop_containers() {
	local id dir
	stop_targets
	for id in ${RUNC_IDS:-}; do runc delete -f "$id" 2>/dev/null || true; done
	for id in ${CTR_IDS:-}; do
		ctr -a "$BOX/sock" -n "${id%%/*}" task kill -s KILL "${id#*/}" 2>/dev/null || true
		wait_for 20 ctr_is_gone "${id%%/*}" "${id#*/}" || true
	done
	if [ -n "${CONTAINERD:-}" ]; then
		kill "$CONTAINERD" 2>/dev/null || true
		wait "$CONTAINERD" 2>/dev/null || true
	fi
	# Only ours, and the parents that became empty with them.
	for dir in ${CGROUPS:-}; do
		while [[ $dir == /sys/fs/cgroup/*/* ]] && rmdir "$dir" 2>/dev/null; do dir=$(dirname "$dir"); done
	done
	[ -z "${BOX:-}" ] || { umount "$BOX/root" 2>/dev/null; rm -rf "$BOX"; }
}

ctr_is_gone() { ! ctr -a "$BOX/sock" -n "$1" container info "$2" >/dev/null 2>&1; }
