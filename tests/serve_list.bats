#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap serve lists processes whose files take long to read. They would be in the lists of other tests, too.

load lib/common
load lib/serve

# listed_beside USERS: each of these runs a file that takes long to read, and another user's program is listed all the
# same, and found by its name.
listed_beside() {
	local honest uid
	build_prog "$REFERENCE_GO" pingpong
	open_place
	install -m 755 "$PROG" "$PLACE/honest"
	start_target setpriv --reuid=65101 --regid=65101 --clear-groups --inh-caps=-all "$PLACE/honest"
	honest=$TARGET
	python3 "$CHECKOUT/tests/lib/elf_bomb.py" "$PROG" "$BATS_TEST_TMPDIR/bomb"
	for ((uid = 65102; uid < 65102 + $1; uid++)); do
		install -m 755 "$BATS_TEST_TMPDIR/bomb" "$PLACE/bomb"	# a file of its own for each
		start_target setpriv --reuid=$uid --regid=$uid --clear-groups --inh-caps=-all "$PLACE/bomb"
		rm "$PLACE/bomb"
	done
	on_socket
	run_logged ask /processes.json --max-time 100 -w '\n%{http_code}\n' -o "$BATS_TEST_TMPDIR/list"
	[ "$output" = $'\n200' ] || [ "$output" = 200 ]
	jq -e --argjson pid "$honest" 'any(.processes[]; .pid == $pid) and .left_out == ([.unseen[] |
		select(.why | startswith("left out: "))] | length)' "$BATS_TEST_TMPDIR/list"
	succeeds ask "/debug/pprof/cmdline?name=honest" --max-time 100 -o /dev/null
}

# 5 s is the limit of a file.
@test "files that take long to read make no list fail" { listed_beside 2; }

# All together take longer than a list may. One that is not whole has a count (tests/unit/cmd_ps_effort.c).
# bats test_tags=soak-only
@test "so many of them that the list is not whole" { listed_beside 14; }
