# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What judges gotap requests --otlp, from npm: the generated readers of OpenTelemetry's exporter for JavaScript. Debian has no
# collector and no reader of OTLP. tests/otlp/package-lock.json has the versions and checksums of all packages. Load it after
# lib/common.

# require_otlp_judges: sets $OTLP_JUDGES to the folder of node_modules. Skips the test only where npm cannot fetch them.
require_otlp_judges() {
	local why
	OTLP_JUDGES=$BUILD/otlp_judges
	require_tool node npm
	[ ! -e "$OTLP_JUDGES/whole" ] || return 0
	why=$(alone otlp_judges fetch_otlp_judges 2>&1) || skip "the judges of OTLP cannot be had: $(tail -n 1 <<<"$why")"
}

fetch_otlp_judges() {
	[ ! -e "$OTLP_JUDGES/whole" ] || return 0
	rm -rf "$OTLP_JUDGES" && mkdir -p "$OTLP_JUDGES" || return
	cp "$CHECKOUT"/tests/otlp/package.json "$CHECKOUT"/tests/otlp/package-lock.json "$OTLP_JUDGES" || return
	(cd "$OTLP_JUDGES" && npm ci --ignore-scripts --no-audit --no-fund --silent) && : >"$OTLP_JUDGES/whole"
}

# decoded FILE...: requests in protobuf as OTLP's JSON, a line each, by the judge.
decoded() { node "$CHECKOUT/tests/otlp/decode.cjs" "$OTLP_JUDGES/node_modules" "$@"; }

# otlp_story: sets $TRACE to a trace with each kind of operation (tests/otlp/story.py).
otlp_story() {
	TRACE=$BATS_TEST_TMPDIR/story.trace
	python3 "$CHECKOUT/tests/otlp/story.py" "$BATS_TEST_TMPDIR/story.txt"
	"$GOTAP" wire "$BATS_TEST_TMPDIR/story.txt" -o "$TRACE"
}
