#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Every page of `go tool trace` on traces that gotap wrote: from its list of pages along all links.

load lib/common

setup() { require_root; require_tool curl jq; }

teardown() {
	[ -z "${SERVER:-}" ] || { kill "$SERVER"; wait "$SERVER" || true; } 2>/dev/null
	stop_targets
}

# serve TRACE [VERSION]: by that release's go tool trace. Sets $SERVER and $SITE.
serve() {
	require_go "${2:-$REFERENCE_GO}"
	"$(path_of_tool trace)" -http=127.0.0.1:0 "$1" >"$BATS_TEST_TMPDIR/server" 2>&1 3>&- &
	SERVER=$!
	wait_for 60 grep -q 'listening on' "$BATS_TEST_TMPDIR/server"
	SITE=$(sed -n 's/.*listening on \(http:.*\)/\1/p' "$BATS_TEST_TMPDIR/server")
}

# page PATH: fetches it to $BODY, and says what is wrong with it.
page() {
	local code
	BODY=$BATS_TEST_TMPDIR/body
	code=$(curl -s -g -o "$BODY" -w '%{http_code}' "${SITE%/}$1") || code="curl $?"
	printf '%s %s %s bytes\n' "$code" "$1" "$(stat -c %s "$BODY")"
	[ "$code" = 200 ] || fail "$1: $(head -c 300 "$BODY")"
	! head -c 2000 "$BODY" | grep -aiE '^(failed|error|panic|no matching)' || fail "$1: $(head -c 300 "$BODY")"
}

# links: prints where the page in $BODY leads. Graphs need graphviz; what they draw comes with raw=1 all the same.
links() {
	grep -aoE "href=['\"]/[^'\"#]*" "$BODY" | sed -E "s/href=['\"]//; s/&amp;/\&/g; s/&#43;/%2b/g; s/&#39;/%27/g; s/ /%20/g" |
		grep -vE '^/(static/|$)' | sed -E '/^\/(region)?(io|block|syscall|sched)$/s/$/?raw=1/
			/^\/(region)?(io|block|syscall|sched)\?/{/raw=1/!s/$/\&raw=1/}'
}

# crawl LIMIT PATH...: these pages and all that they lead to, as many as LIMIT.
crawl() {
	local limit=$1 path
	shift
	local -A seen=()
	local queue=("$@")
	while [ ${#queue[@]} -gt 0 ] && [ ${#seen[@]} -lt "$limit" ]; do
		path=${queue[0]}
		queue=("${queue[@]:1}")
		[ -z "${seen[$path]:-}" ] || continue
		seen[$path]=1
		page "$path" || return
		[[ $path == *raw=1* ]] || mapfile -t -O ${#queue[@]} queue < <(links)
	done
	printf '%s pages\n' ${#seen[@]}
}

# has_profile PATH: the profile there has samples; gzip'ed protobuf, which go tool pprof reads.
has_profile() {
	page "$1" || return
	succeeds go_tool pprof -raw "$BODY" || return
	matches '^ +[0-9]+ +[0-9]+: [0-9]' || fail "$1 has no samples"
}

# every_page TRACE
every_page() {
	views_ok "$1"
	serve "$1"
	crawl 60 / /goroutines /usertasks /userregions /mmu '/trace?view=proc' '/trace?view=thread' \
		'/io?raw=1' '/block?raw=1' '/syscall?raw=1' '/sched?raw=1'
	for view in proc thread; do
		page "/jsontrace?view=$view"
		[ "$(jq '.traceEvents | length' "$BODY")" -gt 1000 ]
	done
	for flags in '' system 'system|assist|background|sweep|stw' 'perproc|stw|background'; do
		page "/mmu?mode=plot&flags=$flags"
		[ "$(jq '.curve | length' "$BODY")" -gt 10 ]
		page "/mmu?mode=details&flags=$flags&window=1000000"
		[ "$(jq length "$BODY")" -gt 0 ]
	done
}

@test "pages of a program that does a little of everything" {
	build_prog 1.27 mixed
	start_target "$PROG" -dur 1h
	succeeds "$GOTAP" record --budget none --strict -d 400ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/x.trace"
	every_page "$BATS_TEST_TMPDIR/x.trace"
	for profile in io block syscall sched; do
		has_profile "/$profile?raw=1"
	done
}

@test "pages of a program with annotations and collections" {
	build_prog 1.25 ranges
	start_target "$PROG"
	succeeds "$GOTAP" record --budget none --strict -d 400ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/x.trace"
	every_page "$BATS_TEST_TMPDIR/x.trace"
	page '/usertask?type=outer'
	grep -q 'complete' "$BODY"
	page '/usertask?type='
	grep -q 'round' "$BODY"
	page '/usertasks'
	grep -q outer "$BODY"
	page '/userregions'
	grep -q 'in task' "$BODY"
	page '/jsontrace?view=proc'
	for name in 'GC concurrent mark phase' 'GC mark assist' 'stop-the-world (GC mark termination)'; do
		jq -e --arg name "$name" 'any(.traceEvents[]; .name == $name)' "$BODY" || fail "no $name in the view"
	done
}

# page_set TRACE VERSION: the pages that every trace has.
page_set() {
	serve "$1" "$2"
	crawl 60 / /goroutines /usertasks /userregions /mmu '/trace?view=proc' '/trace?view=thread' \
		'/jsontrace?view=proc' '/jsontrace?view=thread' '/io?raw=1' '/block?raw=1' '/syscall?raw=1' '/sched?raw=1' \
		'/mmu?mode=plot&flags=' '/mmu?mode=plot&flags=perproc|stw|background' \
		'/mmu?mode=details&flags=&window=1000000'
	kill "$SERVER"
	wait "$SERVER" || true
	SERVER=
}

@test "pages of a program that hangs, and of one that is stopped" {
	build_prog 1.27 idle
	start_target "$PROG"
	succeeds "$GOTAP" record --strict --format go1.22 -d 500ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/idle.trace"
	kill -STOP "$TARGET"
	succeeds "$GOTAP" record -d 500ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/stopped.trace"
	kill -CONT "$TARGET"
	page_set "$BATS_TEST_TMPDIR/idle.trace" 1.22
	page_set "$BATS_TEST_TMPDIR/idle.trace" 1.27
	page_set "$BATS_TEST_TMPDIR/stopped.trace" 1.27
}
