# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap doctor: whether and how a machine, a process, a file can be traced. (Without privileges: privileges.bats.)

load lib/common

teardown() { stop_targets; }

# value JSON-EXPRESSION: of the last run's output, d.
value() { python3 -c 'import json, sys; d = json.loads(sys.argv[1]); print(eval(sys.argv[2]))' "$output" "$1"; }

@test "this machine" {
	require_root
	gotap doctor
	[ "$status" -eq 0 ]
	matches "^  ok    kernel +Linux $(uname -r | sed 's/[.]/\\./g')"
	matches '^  ok    ring buffers +yes'
	matches '^  ok    CAP_BPF +yes'
	matches '^  ok    seccomp filters +the kernel takes them'
	contains "Go programs can be traced here."
}

@test "a file: every probe with its address and instruction" {
	require_root
	build_prog 1.26 mixed
	gotap doctor "$PROG"
	[ "$status" -eq 0 ]
	matches '^  ok    Go release +go1\.26'
	matches '^  ok    BPF programs +the kernel takes them'
	matches '^  runtime\.releasep +0x[0-9a-f]+ +0\.8 us +emulated +push %rbp at \+0x[0-9a-f]+$'
	matches '^  runtime\.park_m +0x[0-9a-f]+ +0\.8 us +emulated +call of runtime\.casgstatus at \+0x[0-9a-f]+$'
	contains "This program can be traced."
}

@test "the addresses are those of the instructions" {
	local line address site
	require_root
	require_tool objdump
	build_prog 1.26 mixed
	gotap doctor --json "$PROG"
	[ "$(value 'd["traceable"]')" = True ]
	while read -r address site; do
		run_logged objdump -d --start-address="$address" --stop-address=$((address + 1)) "$PROG"
		matches "^ +$(printf %x "$address"):.*push +%rbp"
	done < <(value '"\n".join("%d %s" % (p["address"], p["site"]) for p in d["probes"] if p["site"].startswith("push %rbp"))')
	while read -r address; do
		run_logged objdump -d --start-address="$address" --stop-address=$((address + 1)) "$PROG"
		matches "^ +$(printf %x "$address"):.*call +[0-9a-f]+ <runtime\.casgstatus>"
	done < <(value '"\n".join("%d" % p["address"] for p in d["probes"] if p["site"].startswith("call of runtime.casgstatus"))')
}

@test "a process" {
	require_root
	build_prog 1.26 pingpong
	start_target "$PROG"
	gotap doctor -p "$TARGET"
	[ "$status" -eq 0 ]
	matches "^  ok    process +$TARGET \(pingpong\)$"
	matches '^  ok    memory +goroutines found at 0x'
	gotap doctor -p "$TARGET" --json
	[ "$(value 'd["pid"], d["traceable"], d["obstacle"]')" = "($TARGET, True, None)" ]
	[ "$(value 'all(p["emulated"] == (p["cost_ns"] < 2000) for p in d["probes"])')" = True ]
}

@test "groups of events decide which probes" {
	require_root
	build_prog 1.26 mixed
	gotap doctor -e all,-gc,-heap --json "$PROG"
	[ "$(value 'any(p["function"].startswith("runtime.gc") for p in d["probes"])')" = False ]
	gotap doctor -e nonsense "$PROG"
	[ "$status" -eq 2 ]
}

@test "what cannot be traced says why, with status 1" {
	gotap doctor /bin/true
	[ "$status" -eq 1 ]
	contains "not a Go program"
	gotap doctor /no/such/file
	[ "$status" -eq 1 ]
	gotap doctor -p 2147483
	[ "$status" -eq 1 ]
	contains "no process 2147483"
	gotap doctor --container nowhere
	[ "$status" -eq 1 ]
	contains "no container 'nowhere'"
	gotap doctor --json /bin/true
	[ "$status" -eq 1 ]
	[ "$(value 'd["traceable"]')" = False ]
	[[ $(value 'd["reason"]') == *"not a Go program"* ]]
}

@test "a kernel that is too old" {
	require_tool setarch
	run_logged setarch --uname-2.6 "$GOTAP" doctor
	[ "$status" -eq 1 ]
	matches '^  FAIL  kernel +Linux 2\.6\.'
	contains "Cannot trace: this kernel is too old: gotap needs Linux 5.8 or later."
}

@test "nothing is attached and nothing is left behind" {
	require_root
	require_tool bpftool
	build_prog 1.26 pingpong
	start_target "$PROG"
	programs >"$BATS_TEST_TMPDIR/before"
	[ -z "$(left_over)" ]
	succeeds "$GOTAP" doctor -p "$TARGET"
	! pgrep -f "doctor -p $TARGET" || fail "a process of gotap's is left"
	wait_for 20 eval '[ -z "$(left_over)" ]' || fail "$(bpftool prog list)"
}

# programs: prints the ids of the BPF programs for runtime.casgstatus.
programs() { bpftool prog list | sed -n 's/^\([0-9]*\): .* name [^ ]*casgstatus.*/\1/p' | sort; }

# left_over: the new ones that no process holds. (One that a process holds may be of another gotap, which records at
# this time.)
left_over() { comm -13 "$BATS_TEST_TMPDIR/before" <(programs) | comm -23 - <(held | sort -u); }

held() { cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:\t*//p'; }

@test "wrong usage" {
	gotap doctor -p 1 /bin/true
	[ "$status" -eq 2 ]
	gotap doctor a b
	[ "$status" -eq 2 ]
	gotap doctor -p x
	[ "$status" -eq 2 ]
	gotap doctor --nonsense
	[ "$status" -eq 2 ]
	gotap doctor --help
	[ "$status" -eq 0 ]
}
