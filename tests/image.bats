#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The image that tools/image makes without a daemon: it is an OCI image for containerd, has the same bytes when it is made
# again, and records programs of the host and of other containers, with the rights of deploy/kubernetes. `make image` itself
# takes a static build, and is left to `make soak`.

load lib/common
load lib/container
load lib/deploy

# One image for all tests; none writes into it.
setup_file() {
	require_tool python3 strip
	image_of_this "$BATS_FILE_TMPDIR/image"
}

setup() {
	require_tool jq python3 runc
	container_setup
	IMAGE=$BATS_FILE_TMPDIR/image
}
teardown() { stop_containers; }

# digests_agree FOLDER: each blob has the name of its contents, is named once, and the config has the digest of the layer.
digests_agree() {
	local blob
	for blob in "$1"/oci/blobs/sha256/*; do
		[ "$(sha256sum <"$blob")" = "${blob##*/}  -" ]
	done
	[ "$(ls "$1/oci/blobs/sha256" | wc -l)" -eq 3 ]
	[ "$(jq -r '.rootfs.diff_ids[0]' "$(blob "$1" .config)")" = \
		"sha256:$(gzip -dc "$(blob "$1" '.layers[0]')" | sha256sum | cut -d ' ' -f 1)" ]
	[ "$(jq -r '.manifests[0].size' "$1/oci/index.json")" -eq \
		"$(stat -c %s "$1/oci/blobs/$(jq -r '.manifests[0].digest' "$1/oci/index.json" | tr : /)")" ]
}

@test "the same root gives the same bytes, whatever the umask and the times of its files" {
	digests_agree "$IMAGE"
	mkdir "$BOX/two"
	(umask 077 && cp -r "$IMAGE/root" "$BOX/two/root")
	chmod 1777 "$BOX/two/root/tmp"
	"$CHECKOUT/tools/image" 9 2026-01-02 "$BOX/two"
	cmp "$IMAGE/gotap-9-oci.tar" "$BOX/two/gotap-9-oci.tar"
	[ "$(tar -tvf "$IMAGE/gotap-9-oci.tar" | awk '{ print $2, $4 }' | sort -u)" = "0/0 2026-01-02" ]
}

@test "the image says what the Containerfile says" {
	local config
	config=$(blob "$IMAGE" .config)
	[ "$(jq -c '.config | [.Entrypoint, .Cmd, .Env]' "$config")" = '[["/usr/bin/gotap"],["--help"],["PATH=/usr/bin"]]' ]
	[ "$(jq -r '.config.Labels | keys | join(" ")' "$config")" = "$(sed -nE 's/^LABEL ([a-z.]*)=.*/\1/p; $aorg.opencontainers.image.version' \
		"$CHECKOUT/Containerfile" | sort | paste -sd ' ')" ]
	sed 's/^ENTRYPOINT/RUN/' "$CHECKOUT/Containerfile" >"$BOX/Containerfile"
	mkdir "$BOX/tools"
	cp "$CHECKOUT/tools/image" "$BOX/tools/"
	run_logged "$BOX/tools/image" 9 2026-01-02 "$IMAGE"
	[ "$status" -eq 1 ]
	contains "cannot do \`RUN"
}

@test "containerd imports the image and runs it" {
	start_containerd
	succeeds ctr -a "$BOX/sock" image import "$IMAGE/gotap-9-oci.tar"
	succeeds ctr -a "$BOX/sock" image check
	contains localhost/gotap:9
	succeeds ctr -a "$BOX/sock" run --rm localhost/gotap:9 "gotap-$$-help"
	contains "gotap record"
}

# records_from PROGRAM_PID NAME: the container of the image records that program; a trace without a loss, for Go's reader.
records_from() {
	as_daemon /usr/bin/gotap record --budget none -p "$1" -d 1s -o - >"$BOX/$2.trace" 2>"$BOX/$2.log" ||
		fail "$(cat "$BOX/$2.log")"
	output=$(cat "$BOX/$2.log")
	contains "lost: 0, repairs: 0"
	views_ok "$BOX/$2.trace"
}

POD_UID=7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4

# works_as_daemon: a program of the host, of another user; one of another container, by its id; one in the cgroup of a pod.
works_as_daemon() {
	local container=gotap-$$-web
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
	build_prog "$REFERENCE_GO" mixed
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups "$PROG" -tail 10m
	records_from "$TARGET" host
	stop_target
	(BOX=$BOX/web && mkdir "$BOX" && image "$PROG" && run_container "$container" /bin/mixed -tail 10m)
	RUNC_IDS+=" $container"
	TARGET=$(cat "$BOX/web/$container.pid")
	records_from "$TARGET" container
	succeeds as_daemon /usr/bin/gotap stacks -p "$TARGET"
	contains "main.main"
	in_cgroup "/kubepods.slice/kubepods-pod${POD_UID//-/_}.slice/cri-containerd-$(printf '%.0sd0c4e5' {1..11} | cut -c -64).scope" \
		"$PROG" -tail 10m
	succeeds as_daemon /usr/bin/gotap stacks --container "$POD_UID"
	contains "main.main"
	succeeds as_daemon /usr/bin/gotap stacks --container d0c4e5d0c4e5
	umount "$BOX/web/root"
}

@test "runc, with the rights of deploy/kubernetes: programs of the host and of another container" {
	unpack "$IMAGE"
	works_as_daemon
}

# bats test_tags=soak-only
@test "make image: twice the same bytes, under 25 MB, one program in it; it works under runc" {
	local one=$BATS_TEST_TMPDIR/one two=$BATS_TEST_TMPDIR/two tar
	succeeds make -s -C "$CHECKOUT" BUILD="$one" image
	succeeds make -s -C "$CHECKOUT" BUILD="$two" image
	tar=$(basename "$one"/image/*-oci.tar)
	cmp "$one/image/$tar" "$two/image/$tar"
	explain "$tar: $(stat -c %s "$one/image/$tar") bytes, $(stat -c %s "$one/image/root/usr/bin/gotap") of the program"
	[ "$(stat -c %s "$one/image/$tar")" -lt 25000000 ]
	digests_agree "$one/image"
	[ "$(find "$one/image/root" -type f -perm /111)" = "$one/image/root/usr/bin/gotap" ]
	unpack "$one/image"
	works_as_daemon
}
