# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What judges gotap mcp, from npm: the SDK's clients before and since the protocol's revision 2026-07-28, and its conformance
# suite. tests/mcp/package-lock.json has the versions and checksums of all packages. Load it after lib/common.

# require_mcp_judges: sets $MCP_JUDGES to the folder of node_modules. Skips the test only where npm cannot fetch them.
require_mcp_judges() {
	local why
	MCP_JUDGES=$BUILD/mcp_judges
	require_tool node npm
	[ ! -e "$MCP_JUDGES/whole" ] || return 0
	why=$(alone mcp_judges fetch_mcp_judges 2>&1) || skip "the judges of MCP cannot be had: $(tail -n 1 <<<"$why")"
}

fetch_mcp_judges() {
	[ ! -e "$MCP_JUDGES/whole" ] || return 0
	rm -rf "$MCP_JUDGES" && mkdir -p "$MCP_JUDGES" || return
	cp "$CHECKOUT"/tests/mcp/package.json "$CHECKOUT"/tests/mcp/package-lock.json "$MCP_JUDGES" || return
	(cd "$MCP_JUDGES" && npm ci --ignore-scripts --no-audit --no-fund --silent) && : >"$MCP_JUDGES/whole"
}

# raw COMMAND...: tests/mcp/raw.py, which is a client that may do anything.
raw() { succeeds python3 "$CHECKOUT/tests/mcp/raw.py" "$@"; }
