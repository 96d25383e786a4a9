# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Roots of other systems. A root is made once, below $BUILD/roots, and copied for each test.

# debian_mirror: where apt of this machine gets Debian from.
debian_mirror() {
	apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' | awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }'
}

# debian_root SUITE: a copy of a minimal Debian, as $ROOT. Skips where it cannot be had.
debian_root() {
	local made=$BUILD/roots/$1
	require_root
	require_tool debootstrap unshare
	alone "root.$1" debian_root_make "$1" "$made" >"$BATS_TEST_TMPDIR/debootstrap" 2>&1 ||
		skip "no Debian $1: $(tail -n 1 "$BATS_TEST_TMPDIR/debootstrap")"
	ROOT=$BATS_TEST_TMPDIR/root
	cp -a "$made" "$ROOT"
	cp -L /etc/resolv.conf "$ROOT/etc/resolv.conf"
}

debian_root_make() {
	[ ! -e "$2" ] || return 0
	rm -rf "$2.part"
	mkdir -p "$2.part"
	debootstrap --variant=minbase "$1" "$2.part" "$(debian_mirror)" && mv "$2.part" "$2"
}

# in_root COMMAND...: runs it in $ROOT, with /proc, /sys and /dev of this machine as long as it runs.
in_root() {
	run_logged env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
		unshare --mount bash -c '
		cd "$1" && mkdir -p proc sys dev && mount --rbind /proc proc && mount --rbind /sys sys &&
		mount --rbind /dev dev && exec chroot . "${@:2}"' - "$ROOT" "$@"
}
