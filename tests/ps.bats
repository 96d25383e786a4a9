# SPDX-License-Identifier: Apache-2.0
#
# gotap ps: which Go programs run here. (Containers: container.bats.)

load lib/common

teardown() { stop_targets; }

# row JSON-EXPRESSION: of the process $TARGET in the last run's output, p.
row() {
	python3 -c 'import json, sys
rows = [p for p in json.loads(sys.argv[1])["processes"] if p["pid"] == int(sys.argv[2])]
p = rows[0] if rows else None
print(eval(sys.argv[3]))' "$output" "$TARGET" "$1"
}

@test "a Go program, as a table and as JSON" {
	build_prog 1.26 pingpong
	start_target "$PROG"
	gotap ps
	[ "$status" -eq 0 ]
	matches '^ *PID +USER +GO +SYMBOLS +PGO +TRACE +CONTAINER +MODULE$'
	matches "^ *$TARGET +$(id -un) +go1\.26[.0-9]* +dwarf +no +yes +- +pingpong$"
	gotap ps --json
	[ "$status" -eq 0 ]
	[ "$(row 'p["exe"]')" = "$PROG" ]
	[ "$(row 'p["traceable"], p["why_not"], p["container"], p["pgo"]')" = "(True, None, None, None)" ]
}

@test "stripped" {
	build_prog 1.26 pingpong -ldflags=-s
	start_target "$PROG"
	gotap ps
	matches "^ *$TARGET .* stripped "
}

@test "built with a profile" {
	require_go 1.26
	cat >"$BATS_TEST_TMPDIR/profile.go" <<-END
		package main
		import ("os"; "runtime/pprof"; "time")
		func main() {
			pprof.StartCPUProfile(os.Stdout)
			for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {}
			pprof.StopCPUProfile()
		}
	END
	"$GO" run "$BATS_TEST_TMPDIR/profile.go" >"$BATS_TEST_TMPDIR/cpu.pprof"
	build_prog 1.26 pingpong -pgo="$BATS_TEST_TMPDIR/cpu.pprof"
	start_target "$PROG"
	gotap ps --json
	[ "$(row 'p["pgo"]')" = "$BATS_TEST_TMPDIR/cpu.pprof" ]
	gotap ps
	matches "^ *$TARGET .* dwarf +yes +"
	rm -rf "$(dirname "$PROG")"
}

@test "a release that cannot be traced says why" {
	build_prog 1.19 pingpong
	start_target "$PROG"
	gotap ps --json
	[[ $(row 'p["go"]') == go1.19* ]]
	[ "$(row 'p["traceable"]')" = True ] || [[ $(row 'p["why_not"]') == *"go1.19"* ]]
}

@test "programs that are not Go, and gotap itself, are not listed" {
	gotap ps --json
	! contains '/gotap"' || fail "lists itself"
	! contains '/bash"' || fail "lists a shell"
}

@test "a deleted executable" {
	build_prog 1.26 pingpong
	cp "$PROG" "$BATS_TEST_TMPDIR/gone"
	start_target "$BATS_TEST_TMPDIR/gone"
	rm "$BATS_TEST_TMPDIR/gone"
	gotap ps --json
	[ "$(row 'p["exe"]')" = "$BATS_TEST_TMPDIR/gone (deleted)" ]
	[ "$(row 'p["traceable"]')" = True ]
}

@test "processes come and go meanwhile" {
	local i
	(for i in {1..400}; do /bin/true; done) 3>&- &
	for i in {1..10}; do
		succeeds "$GOTAP" ps >/dev/null
	done
	wait $!
}

# CPU time: how long others keep the CPU does not count.
@test "three hundred processes take less than a second of CPU time" {
	local i took TIMEFORMAT='%U %S'
	build_prog 1.26 pingpong
	start_target "$PROG"
	for i in {1..300}; do
		sleep 60 3>&- &
		TARGETS+=" $!"
	done
	took=$({ time "$GOTAP" ps >"$BATS_TEST_TMPDIR/listing" 2>"$BATS_TEST_TMPDIR/hidden"; } 2>&1)
	grep -q "^ *$TARGET " "$BATS_TEST_TMPDIR/listing"
	awk '{ exit $1 + $2 >= 1 }' <<<"$took" || fail "took $took s"
}

@test "without privileges: our own programs, and what could not be looked at" {
	require_root
	require_tool setpriv
	build_prog 1.26 pingpong
	start_target "$PROG"
	run_logged setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$GOTAP" ps
	[ "$status" -eq 0 ]
	! matches "^ *$TARGET " || fail "looked at root's"
	matches 'could not look at [0-9]+ processes of other users: run gotap as root or with CAP_SYS_PTRACE'
	cp "$PROG" "$BATS_TEST_TMPDIR/theirs"
	chmod 755 "$BATS_TEST_TMPDIR/theirs"
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$BATS_TEST_TMPDIR/theirs"
	run_logged setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$GOTAP" ps
	matches "^ *$TARGET .* go1\.26"
}

@test "wrong usage" {
	gotap ps something
	[ "$status" -eq 2 ]
	gotap ps --nonsense
	[ "$status" -eq 2 ]
	gotap ps --proc /tmp
	[ "$status" -eq 1 ]
	contains "'/tmp' is not a mount of proc"
	gotap ps --help
	[ "$status" -eq 0 ]
}
