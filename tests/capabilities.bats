#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Which capabilities each use of gotap takes, for programs of another user: the table in docs/deploy.md, each row of which is
# run with its capabilities and no other, and without each one of them. DaemonSet and units have what their rows take.
# (A kernel that lacks uprobe_multi takes CAP_SYS_ADMIN for all recordings.)

load lib/common

setup() {
	require_root
	require_tool setpriv capsh curl
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
	open_place
	build_prog "$REFERENCE_GO" mixed
	cp "$PROG" "$PLACE/program"
	start_target "$PLACE/program" -tail 10m
	OWN=$TARGET
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/program" -tail 10m
}

teardown() {
	stop_targets
	close_place
}

# only "CAP CAP": sets $ONLY to what runs a command as root with these capabilities and no other, as in a container.
only() {
	local caps=-all cap
	for cap in $1; do caps+=,+$cap; done
	ONLY=(setpriv --inh-caps=-all --ambient-caps=-all --bounding-set="$caps")
}

with_only() {
	only "$1"
	"${ONLY[@]}" "${@:2}"
}

# The uses: each takes the capabilities, and succeeds where nothing is missing.

use_doctor() { with_only "$1" "$GOTAP" doctor -p "$TARGET"; }
use_record() { with_only "$1" "$GOTAP" record -p "$TARGET" -d 100ms -o /dev/null; }
use_cpu() { with_only "$1" "$GOTAP" record --cpu-samples 100 -p "$TARGET" -d 100ms -o /dev/null; }
use_linux() { with_only "$1" "$GOTAP" record -e +linux -p "$TARGET" -d 100ms -o /dev/null; }
use_system() { with_only "$1" "$GOTAP" record -e +linux --system -p "$TARGET" -d 100ms -o /dev/null; }
use_perf() { with_only "$1" "$GOTAP" record --attach perf -p "$TARGET" -d 100ms -o /dev/null; }
use_stacks() { with_only "$1" "$GOTAP" stacks -p "$TARGET" | grep main.main; }
use_top() { with_only "$1" "$GOTAP" top --json -n 1 -i 100ms -p "$TARGET"; }
use_ps() { with_only "$1" "$GOTAP" ps 2>&1 | grep -E "^ *$TARGET .* go1"; }

# The file of the program can be read by its user alone.
use_unreadable() {
	local r=0
	chown 65534:65534 "$PLACE/program"
	chmod 500 "$PLACE/program"
	use_record "$1" || r=1
	chmod 755 "$PLACE/program"
	return $r
}

# Without dac_override gotap can write the memory of a program of its own user alone.
use_inline() {
	with_only "$1" "$GOTAP" record --attach inline -v --budget none -p "$OWN" -d 500ms -o /dev/null 2>&1 | grep 'all of it was taken out'
}

# with_server SET CHECK...: with a server at $PLACE/socket, whose id is $server.
with_server() {
	local server r=0
	only "$1"
	"${ONLY[@]}" "$GOTAP" serve -q --listen "unix:$PLACE/socket" 3>&- &
	server=$!
	TARGETS+=" $server"
	wait_for 30 eval 'test -S "$PLACE/socket" || ! kill -0 $server' && "${@:2}" "$server" || r=1
	kill "$server"
	wait "$server" || r=1
	return $r
}

serves() { curl -sSf --unix-socket "$PLACE/socket" "http://x/debug/pprof/trace?pid=$TARGET&seconds=0.1" -o /dev/null; }
use_serve() { with_server "$1" serves; }

# front_is TEST: of gotap-http, the process of the server that parses HTTP.
front_is() {
	local front
	front=$(pgrep -x gotap-http -P "$2")
	eval "$1"
}
use_nobody() { with_server "$1" front_is 'grep -qP "^Uid:\t65534\t" /proc/$front/status'; }
use_group() { with_server "$1" front_is 'grep -qP "^Gid:\t65534\t" /proc/$front/status'; }
use_root() { with_server "$1" front_is '[ -z "$(ls -A /proc/$front/root/)" ]'; }

# rows: name|capabilities, of the table in the docs.
rows() {
	awk -F ' *[|] *' '/^[|] use [|]/ { on = 1; next } on && !/^[|]/ { exit } on && $2 !~ /^---/ { print $4 "|" $3 }' \
		"$CHECKOUT/docs/deploy.md" | tr -d '\140'
}

# as_told NAME SET: NAME works with SET, and not without one of it.
as_told() {
	local cap less
	succeeds "use_$1" "$2" || fail "$1 does not work with '$2'" || return
	for cap in $2; do
		less=$(tr ' ' '\n' <<<"$2" | grep -vx "$cap" | paste -sd ' ')
		run_logged "use_$1" "$less"
		[ "$status" -ne 0 ] || fail "$1 works without $cap" || return
	done
}

@test "each use takes the capabilities of its row, and each of them" {
	local name caps n=0
	while IFS='|' read -r name caps; do
		n=$((n + 1))
		[ "$name" != inline ] || has_inline || { explain "inline was not tried: the clock is $MACHINE_CLOCK"; continue; }
		as_told "$name" "$caps"
	done < <(rows)
	[ "$n" -eq "$(declare -F | grep -c ' use_')" ] || fail "$n rows in the docs"
}

# set_of REGEX: the capabilities of the rows whose names match, together.
set_of() { rows | grep -E "^($1)\|" | cut -d '|' -f 2 | tr ' ' '\n' | sort -u | paste -sd ' '; }

@test "the DaemonSet has the capabilities of its rows" {
	local caps
	caps=$(python3 -c '
import sys, yaml
pod = next(d for d in yaml.safe_load_all(open(sys.argv[1])) if d["kind"] == "DaemonSet")["spec"]["template"]["spec"]
print("\n".join(sorted(cap.lower() for cap in pod["containers"][0]["securityContext"]["capabilities"]["add"])))' \
		"$CHECKOUT/deploy/kubernetes/gotap.yaml" | paste -sd ' ')
	[ "$caps" = "$(set_of 'doctor|record|inline|cpu|linux|stacks|top|ps|unreadable|serve')" ] || fail "the DaemonSet has $caps"
}

# The table, derived: each capability is left out, those of which another is a part first, and comes back where it is missed.
derive() {
	local have cap less
	have="sys_admin dac_override fowner sys_nice kill setuid setgid setpcap sys_chroot syslog checkpoint_restore net_admin
		ipc_lock sys_rawio dac_read_search sys_ptrace perfmon bpf"
	for cap in $have; do
		less=$(tr -s ' \t' '\n' <<<"$have" | grep -vx "$cap" | paste -sd ' ')
		! "use_$1" "$less" >/dev/null 2>&1 || have=$less
	done
	tr ' ' '\n' <<<"$have" | sort | paste -sd ' '
}

# bats test_tags=soak-only
@test "the table of capabilities is the one that leaving out each of 18 gives" {
	local name caps
	while IFS='|' read -r name caps; do
		[ "$name" != inline ] || has_inline || continue
		[ "$(derive "$name")" = "$(tr ' ' '\n' <<<"$caps" | sort | paste -sd ' ')" ] || fail "$name: $(derive "$name")"
	done < <(rows)
}
