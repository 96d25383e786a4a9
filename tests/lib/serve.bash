# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the tests of gotap serve share: load after lib/common.

setup() {
	require_root
	require_tool curl jq python3 setpriv setcap
	SERVERS=
}

teardown() {
	local pid
	for pid in $SERVERS; do
		stop_target "$pid"
	done
	stop_targets
	[ -z "${PLACE:-}" ] || close_place
}

# start_profiled [VERSION]: starts tests/prog/profiled.go; `its PATH` then asks its own net/http/pprof.
start_profiled() {
	build_prog "${1:-$REFERENCE_GO}" profiled
	ITS_SOCKET=$BATS_TEST_TMPDIR/its
	start_target "$PROG" "$ITS_SOCKET"
}

its() { curl -sS -f --max-time 30 --unix-socket "$ITS_SOCKET" "http://x/debug/pprof/$1"; }

# start_serve OPTION...: starts gotap serve in the background; sets $SERVER and $SERVER_LOG.
start_serve() {
	SERVER_LOG=$(mktemp "$BATS_TEST_TMPDIR/serve.XXXXXX")
	"${SERVE_AS[@]}" "${GOTAP_HERE:-$GOTAP}" serve "$@" 2>"$SERVER_LOG" 3>&- &
	SERVER=$!
	SERVERS+=" $SERVER"
	wait_for 20 serve_listens || fail "gotap serve: $(cat "$SERVER_LOG")"
}

serve_listens() { grep -q '^gotap: listens on ' "$SERVER_LOG" || ! target_runs "$SERVER"; }

# on_socket OPTION...: starts gotap serve at $SOCKET; `ask PATH [CURL OPTION...]` then asks there.
on_socket() {
	SOCKET=$BATS_TEST_TMPDIR/gotap
	start_serve --listen "unix:$SOCKET" "$@"
}

ask() { curl -sS --max-time 60 --unix-socket "$SOCKET" "http://localhost$1" "${@:2}"; }

# refused STATUS TEXT PATH [CURL OPTION...]: the answer is an error of one line with TEXT, in the form of
# net/http/pprof's.
refused() {
	run_logged ask "$3" "${@:4}" -D "$BATS_TEST_TMPDIR/head" -w '%{http_code}'
	[ "${lines[1]}" = "$1" ] && [ ${#lines[@]} -eq 2 ] || fail "not one line, and status $1"
	contains "$2"
	grep -qi '^x-go-pprof: 1' "$BATS_TEST_TMPDIR/head"
	grep -qi '^content-type: text/plain; charset=utf-8' "$BATS_TEST_TMPDIR/head"
}

# front: prints the process that parses HTTP; recorders: those that record, or list processes.
front() { pgrep -P "$SERVER" -x gotap-http; }
recorders() { pgrep -P "$SERVER" | grep -vx "$(front)"; }
recordings() { recorders >/dev/null; }
no_recordings() { ! recordings; }

# probe_count PID: prints how many mappings for uprobes the process has.
probe_count() { cat /proc/"$1"/maps | grep -c '\[uprobes\]' || true; }

# raw FILE: prints a profile as go tool pprof reads it.
raw() { go_tool pprof -raw "$1" 2>/dev/null; }
