# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Cgroups for tests: load after lib/common. The test removes FOLDER when its processes have ended.

# quota_group: makes FOLDER, a cgroup with a quota of a fifth of a CPU. Its weight lets it use the quota on a busy
# machine, too.
quota_group() {
	local v1=/sys/fs/cgroup/cpu v2=/sys/fs/cgroup
	if [ -e $v1/cpu.shares ]; then
		FOLDER=$v1/gotap-test-$$-$BATS_TEST_NUMBER
		mkdir "$FOLDER"
		[ -e "$FOLDER/cpu.cfs_quota_us" ] || skip "no CPU quota here"
		echo 100000 >"$FOLDER/cpu.cfs_period_us"
		echo 20000 >"$FOLDER/cpu.cfs_quota_us"
		echo 262144 >"$FOLDER/cpu.shares"
	elif grep -qw cpu $v2/cgroup.controllers 2>/dev/null && echo +cpu >$v2/cgroup.subtree_control; then
		FOLDER=$v2/gotap-test-$$-$BATS_TEST_NUMBER
		mkdir "$FOLDER"
		echo "20000 100000" >"$FOLDER/cpu.max"
		echo 10000 >"$FOLDER/cpu.weight"
	else
		skip "no CPU quota here"
	fi
}

# quota_is_used_up: FOLDER was throttled, so what it had saved up is gone.
quota_is_used_up() { awk '$1 == "nr_throttled" { exit $2 == 0 }' "$FOLDER/cpu.stat"; }

# memory_group: makes FOLDER, a cgroup that counts memory; sets $LIMIT_FILE and $USAGE_FILE, the names of its files.
memory_group() {
	local v1=/sys/fs/cgroup/memory v2=/sys/fs/cgroup
	if [ -e $v1/memory.limit_in_bytes ]; then
		FOLDER=$v1/gotap-test-$$-$BATS_TEST_NUMBER LIMIT_FILE=memory.limit_in_bytes USAGE_FILE=memory.usage_in_bytes
	elif grep -qw memory $v2/cgroup.controllers 2>/dev/null && echo +memory >$v2/cgroup.subtree_control; then
		FOLDER=$v2/gotap-test-$$-$BATS_TEST_NUMBER LIMIT_FILE=memory.max USAGE_FILE=memory.current
	else
		skip "no limit of memory here"
	fi
	mkdir "$FOLDER"
}

# leave_room BYTES: sets the limit of FOLDER so that its processes have so much left.
leave_room() { echo $(($(cat "$FOLDER/$USAGE_FILE") + $1)) >"$FOLDER/$LIMIT_FILE"; }

# freezer_group: makes FOLDER, a cgroup that can be frozen.
freezer_group() {
	local root
	for root in /sys/fs/cgroup/freezer /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -d $root ] || continue
		FOLDER=$root/gotap-test-$$-$BATS_TEST_NUMBER
		mkdir "$FOLDER" && [ -e "$FOLDER/freezer.state" ] || [ -e "$FOLDER/cgroup.freeze" ] && return
		rmdir "$FOLDER"
		FOLDER=
	done
	skip "no freezer here"
}

freeze() {
	if [ -e "$FOLDER/freezer.state" ]; then echo FROZEN >"$FOLDER/freezer.state"; else echo 1 >"$FOLDER/cgroup.freeze"; fi
	wait_for 60 is_frozen
}

is_frozen() { grep -q '^FROZEN$\|^frozen 1$' "$FOLDER/freezer.state" "$FOLDER/cgroup.events" 2>/dev/null; }

thaw() {
	[ -z "$FOLDER" ] || [ ! -e "$FOLDER/freezer.state" ] || echo THAWED >"$FOLDER/freezer.state"
	[ -z "$FOLDER" ] || [ ! -e "$FOLDER/cgroup.freeze" ] || echo 0 >"$FOLDER/cgroup.freeze"
}
