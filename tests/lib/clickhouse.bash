# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# ClickHouse as a library. Load it after lib/common and lib/parquet.

# 167 MB, and 560 MB unpacked.
CLICKHOUSE_PACKAGE=@chdb/lib-linux-x64-gnu
CLICKHOUSE_VERSION=26.5.3
CLICKHOUSE_SHA256=b874e449710950da3abd7e20376f7bb3387d9e03adcc7082f022be18dfdf316a

# require_clickhouse: sets $LIBCHDB. Skips the test only where npm cannot fetch it.
require_clickhouse() {
	local why
	LIBCHDB=$BUILD/chdb/libchdb.so
	[ ! -s "$LIBCHDB" ] || return 0
	require_tool node npm
	why=$(alone chdb fetch_clickhouse 2>&1) || skip "ClickHouse cannot be had: $(tail -n 1 <<<"$why")"
	[ -s "$LIBCHDB" ] || fail "$why"
}

# As fetch_parquet_readers.
fetch_clickhouse() {
	local new=$BUILD/chdb.new status=0
	[ ! -s "$LIBCHDB" ] || return 0
	rm -rf "$new" "$BUILD/chdb" && mkdir -p "$new" && cd "$new" || return
	npm_package "$CLICKHOUSE_PACKAGE" "$CLICKHOUSE_VERSION" "$CLICKHOUSE_SHA256" package || status=$?
	[ "$status" -ne 2 ] || return 0
	[ "$status" -eq 0 ] || return "$status"
	mv package "$BUILD/chdb" && rmdir "$new"
}

# clickhouse [QUERY | @FILE]...: prints the rows of each, or of those on standard input. The tables are in $BATS_TEST_TMPDIR/ch.
clickhouse() {
	[ $# -gt 0 ] || set -- @/dev/stdin
	python3 "$CHECKOUT/tests/lib/clickhouse.py" "$LIBCHDB" "$BATS_TEST_TMPDIR/ch" "$@"
}
