#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap mcp: the clients of the protocol's SDKs call each tool on a live program and on traces, and validate all answers;
# the conformance suite judges the protocol; and a client that does anything is answered, or left.

load lib/common
load lib/record
load lib/mcp

setup() {
	require_root
	DIR=$BATS_TEST_TMPDIR/dir
	mkdir "$DIR"
	shared_recording "$REFERENCE_GO" mutex
	start_target "$PROG"
	cp "$SHARED" "$DIR/earlier"
	ln -s /etc/passwd "$DIR/link"
}

teardown() { stop_targets; }

# session ERA: tests/mcp/session.mjs, with its answers in answers.ERA.
session() {
	succeeds timeout 120 node "$CHECKOUT/tests/mcp/session.mjs" "$1" "$MCP_JUDGES" "$BATS_FILE_TMPDIR/answers.$1" \
		"$TARGET" earlier "$GOTAP" mcp --dir "$DIR"
}

@test "a client of before 2026-07-28 calls each tool" {
	require_mcp_judges
	session old
}

@test "a client of 2026-07-28 calls each tool" {
	require_mcp_judges
	session new
}

@test "each answer is valid by the schemas that gotap prints, which describe each field" {
	local python name
	for python in python3 /usr/bin/python3 none; do
		"$python" -c 'import jsonschema' 2>/dev/null && break
	done
	[ "$python" != none ] || skip "needs python3-jsonschema"
	[ -s "$BATS_FILE_TMPDIR/answers.old" ] || skip "needs the answers of the tests before"
	cd "$BATS_TEST_TMPDIR"
	jq -c 'del(.tool)' "$BATS_FILE_TMPDIR"/answers.* >mcp
	for name in profile checks traces; do
		jq -c "select(.tool == \"${name/checks/check}\" and .answer).answer" "$BATS_FILE_TMPDIR"/answers.* >$name
	done
	for name in mcp profile checks traces; do
		"$GOTAP" schema $name >$name.json
		succeeds "$python" "$CHECKOUT/tests/lib/schema.py" check $name.json $name.seen $name
		[ $name = checks ] || succeeds "$python" "$CHECKOUT/tests/lib/schema.py" unseen $name.json $name.seen
	done
}

# What of the scenarios cannot be judged: tools that only a server of the suite has, and prompts, which gotap has none of.
@test "the protocol's conformance suite" {
	local url scenario revision got want
	require_mcp_judges
	node "$CHECKOUT/tests/mcp/bridge.mjs" "$GOTAP" mcp --dir "$DIR" >"$BATS_TEST_TMPDIR/url" 3>&- &
	TARGETS+=" $!"
	wait_for 20 test -s "$BATS_TEST_TMPDIR/url"
	url=$(<"$BATS_TEST_TMPDIR/url")
	for scenario in server-initialize:2025-11-25 tools-list:2025-11-25 caching:2026-07-28 server-stateless:2026-07-28 \
		sep-2164-resource-not-found:2026-07-28; do
		revision=${scenario#*:}
		timeout 60 node --import "$CHECKOUT/tests/mcp/node20.mjs" "$MCP_JUDGES/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
			server --url "$url" --scenario "${scenario%:*}" --spec-version "$revision" -o "$BATS_TEST_TMPDIR/results" >>"$BATS_TEST_TMPDIR/log" 2>&1 || true
	done
	jq -r '.[] | "\(.status) \(.id) \(.errorMessage // "")"' "$BATS_TEST_TMPDIR"/results/*/checks.json
	[ "$(ls "$BATS_TEST_TMPDIR/results" | wc -l)" -eq 5 ] || fail "$(tail -n 20 "$BATS_TEST_TMPDIR/log")"
	got=$(jq -r '.[] | select(.status == "FAILURE" or .status == "WARNING") | .id' "$BATS_TEST_TMPDIR"/results/*/checks.json | sort)
	want=$(sort <<-'END'
		sep-2549-prompts-list-caching-hints
		sep-2575-http-server-no-independent-requests-on-stream
		sep-2575-missing-capability-http-400
		sep-2575-server-no-log-without-loglevel
		sep-2575-server-rejects-undeclared-capability
	END
	)
	diff <(echo "$want") <(echo "$got")
}

@test "hostile messages are answered by errors, in bounded memory" { raw hostile "$GOTAP" "$DIR"; }

@test "each revision, and requests outside of any" { raw revisions "$GOTAP" "$DIR"; }

@test "a client that leaves at any moment: the recording ends, whole" { raw ends "$GOTAP" "$DIR" "$TARGET"; }

@test "a client that does not read its answers" { raw deaf "$GOTAP" "$DIR"; }

@test "options bound what a client may do" { raw limits "$GOTAP" "$DIR" "$TARGET"; }

@test "the folder is bounded" {
	stop_targets
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG" -batch 100 -pause 1ms
	raw full "$GOTAP" "$DIR" "$TARGET"
}

@test "damaged traces" {
	"$GOTAP" record -q -p "$TARGET" -d 500ms -o "$DIR/x.trace"
	raw damaged "$GOTAP" "$DIR"
}

@test "wrong usage is one line" {
	local wrong
	for wrong in "" "--dir" "--dir x y" "--dir x --max-time 2h" "--dir x --max-bytes 1K"; do
		gotap mcp $wrong
		[ "$status" -eq 2 ] && [ ${#lines[@]} -eq 1 ] || fail "$wrong"
	done
	gotap mcp --dir "$DIR/none"
	[ "$status" -eq 1 ]
	contains "cannot open the folder '$DIR/none' of --dir: No such file or directory"
}

@test "without rights: traces and the programs of one's own" {
	open_place
	mkdir -m 777 "$PLACE/dir"
	install -m 644 "$DIR/earlier" "$PLACE/dir"
	printf '%s\n' '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}' \
		'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "traces"}}' \
		"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"tools/call\", \"params\": {\"name\": \"record\", \"arguments\": {\"pid\": $TARGET, \"duration_seconds\": 1}}}" |
		(cat; sleep 3) | setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/gotap" mcp --dir "$PLACE/dir" >"$BATS_TEST_TMPDIR/out"
	cat "$BATS_TEST_TMPDIR/out"
	jq -se '.[1].result.structuredContent.answer.traces[0].name == "earlier"' "$BATS_TEST_TMPDIR/out"
	jq -se '.[2].result | .isError and (.content[0].text | test("root|CAP_"))' "$BATS_TEST_TMPDIR/out"
	close_place
}
