#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# Many requests, with inline code: none is missing, and each has its name. Handlers with a pattern, with one in a copy of the
# request, and without. `make soak` goes on with rounds of a million requests.

load lib/common
load lib/record

setup() {
	require_root
	require_tool wrk jq
	export GODEBUG=httpmuxgo121=0
	PATHS=$BATS_TEST_TMPDIR/paths.lua
	cat >"$PATHS" <<-'END'
		local paths, at = { "/plain", "/teapot", "/mux", "/copy", "/inner", "/bytes" }, 0
		request = function()
			at = at % #paths + 1
			return wrk.format("GET", paths[at])
		end
	END
}

teardown() { stop_targets; }

# answered: how many requests wrk has had answers to.
answered() { sed -n 's/^ *\([0-9]*\) requests in .*/\1/p' "$BATS_TEST_TMPDIR/wrk"; }

# asks_and_counts SECONDS: a server is recorded from its first request to its last.
asks_and_counts() {
	require_inline
	local trace=$BATS_TEST_TMPDIR/many.trace address
	start_target "$PROG"
	address=$(head -n 1 "$TARGET_OUT")
	ATTACH=inline start_record "$trace" --strict -p "$TARGET" -e +http
	wrk -t1 -c16 -d"$1s" -s "$PATHS" "http://$address" >"$BATS_TEST_TMPDIR/wrk"
	# a request that wrk has left at its end ends, too
	sleep 0.3
	kill -INT "$RECORDER"
	wait_record
	[ "$status" -eq 0 ] || fail "$(cat "$REPORT")"
	kill "$TARGET"
	wait_for 10 target_is_gone
	sed -n 's/^\([0-9][0-9]*\) [0-9]* GET /\1 GET /p' "$TARGET_OUT" | sort >"$BATS_TEST_TMPDIR/counted"
	"$GOTAP" requests "$trace" --json | jq -r '.routes[] | "\(.count) \(.name)"' | sort >"$BATS_TEST_TMPDIR/routes"
	diff "$BATS_TEST_TMPDIR/counted" "$BATS_TEST_TMPDIR/routes"
	[ "$(reported lost)" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	[ "$(jq -r .inline.state "$REPORT")" = undone ]
}

# has_uprobe: a response is a uprobe, as the report says.
has_uprobe() { jq -r '.inline.uprobes[].function' "$REPORT" | grep -q 'net/http.(\*response)'; }

target_is_gone() { ! target_runs; }

# bats test_tags=soak
@test "requests by the thousands, and each has its name" {
	local rounds=0 all=0
	build_prog "$REFERENCE_GO" counted
	while goes_on 1 $rounds; do
		asks_and_counts "$(soaks && echo 15 || echo 2)"
		! has_uprobe || fail "a uprobe for each response"
		all=$((all + $(answered)))
		rounds=$((rounds + 1))
		rm -f "$BATS_TEST_TMPDIR/many.trace"
	done
	echo "# $all requests in $rounds rounds" >&3
	[ "$all" -gt 1000 ]
}

# Its ServeMux stores the request at other places: code in the program must not look for it.
@test "a server that is not optimized: a response is a uprobe, and the names are the same" {
	build_prog "$REFERENCE_GO" counted '-gcflags=all=-N -l'
	asks_and_counts 1
	has_uprobe
}
