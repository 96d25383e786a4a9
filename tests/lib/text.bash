# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the bats files that look for breakpoints in a target: load after lib/common.

# text_of PID FILE: the code of its executable, as it is in its memory now; FILE.file: as it is in the executable.
text_of() {
	local range offset exe start end
	exe=$(readlink "/proc/$1/exe")
	read -r range _ offset _ < <(grep -F " ${exe%% (deleted)}" "/proc/$1/maps" | grep ' r-xp ')
	start=0x${range%-*} end=0x${range#*-}
	dd if="/proc/$1/mem" of="$2" bs=4096 skip=$((start / 4096)) count=$(((end - start) / 4096)) status=none
	dd if="/proc/$1/exe" of="$2.file" bs=4096 skip=$((0x$offset / 4096)) count=$(((end - start) / 4096)) status=none
	truncate -s "$(stat -c %s "$2.file")" "$2"
}

# text_is_clean PID: no breakpoint is in it, whoever put it there.
text_is_clean() {
	local copy=$BATS_TEST_TMPDIR/text.$1.$BASHPID
	text_of "$1" "$copy"
	cmp -s "$copy" "$copy.file"
}

# breakpoints_in PID: prints in how many bytes the program's text differs from its file.
breakpoints_in() {
	local copy=$BATS_TEST_TMPDIR/text.$1.$BASHPID
	text_of "$1" "$copy"
	cmp -l "$copy" "$copy.file" | wc -l
}

# changes_in PID: prints the first of these: offset in the text, byte in memory, byte in the file (octal).
changes_in() {
	local copy=$BATS_TEST_TMPDIR/text.$1.$BASHPID
	text_of "$1" "$copy"
	cmp -l "$copy" "$copy.file" | head -n 20 | tr '\n' ';'
}

leaks_are_known() { dmesg >/dev/null 2>&1; }

# leaks: prints the kernel's messages about uprobes that it could not remove; none if the test may not read its log.
leaks() { dmesg 2>/dev/null | grep 'uprobe: gotap.*leaking' || true; }

# leaks_but FILE: prints the number of those that are not in FILE. (The kernel's log drops its oldest lines.)
leaks_but() { leaks | grep -cvxFf "$1" || true; }
