# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Readers of Parquet that are not gotap's: DuckDB and hyparquet. Load it after lib/common.

# PACKAGE VERSION SHA256 of each npm package; all lie in one node_modules.
PARQUET_PACKAGES='
@duckdb/node-api 1.5.6-r.1 64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664
@duckdb/node-bindings 1.5.6-r.1 9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3
@duckdb/node-bindings-linux-x64 1.5.6-r.1 1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
hyparquet 1.33.0 6af16c6ed33e983d6ee6e5e05b1ef3ae766efc22240fac3eb56ecd2ab5780e9b
hyparquet-compressors 1.1.2 d0b146d31c35a8f51ee05358326fb833ff13347e64d7c61b8592e9de0a76c3cc
fzstd 0.1.1 5ed2ee2d3439067be211d0093292c708a831045372342c897437e5a4997c45c5
hysnappy 1.1.1 3935b671bab5e639e061d473f45ab19c756c65ff6b6fb884f4370eb6b8ae528f'

# require_parquet_readers: sets $PARQUET_MODULES to the node_modules with them. Skips the test only where npm cannot
# fetch them.
require_parquet_readers() {
	local why
	PARQUET_MODULES=$BUILD/parquet_readers/node_modules
	[ ! -d "$PARQUET_MODULES" ] || return 0
	require_tool node npm
	why=$(alone parquet_readers fetch_parquet_readers 2>&1) || skip "readers of Parquet cannot be had: $(tail -n 1 <<<"$why")"
	[ -d "$PARQUET_MODULES" ] || fail "$why"
}

# npm_package PACKAGE VERSION SHA256 FOLDER: unpacks it there. Status 1: npm cannot fetch it; 2: it is not the expected one.
npm_package() {
	local file
	file=$(npm pack --silent "$1@$2") || return 1
	sha256sum "$file" | grep -q "^$3" || { echo "$1@$2 is not the package that was tried"; return 2; }
	mkdir -p "$4" && tar -xzf "$file" -C "$4" --strip-components 1 && rm "$file"
}

# An error if npm cannot fetch a package. If it is not the expected one: no error, but no folder, and the test fails.
# The folder gets its name when it is complete.
fetch_parquet_readers() {
	local new=$BUILD/parquet_readers.new package version sum status
	[ ! -d "$PARQUET_MODULES" ] || return 0
	rm -rf "$new" "$BUILD/parquet_readers" && mkdir -p "$new" && cd "$new" || return
	while read -r package version sum; do
		[ -n "$package" ] || continue
		status=0
		npm_package "$package" "$version" "$sum" "node_modules/$package" || status=$?
		[ "$status" -ne 2 ] || return 0
		[ "$status" -eq 0 ] || return "$status"
	done <<<"$PARQUET_PACKAGES"
	mv "$new" "$BUILD/parquet_readers"
}

# duckdb QUERY...: prints the rows of each query, a JSON array each.
duckdb() { node "$CHECKOUT/tests/lib/duckdb.mjs" "$PARQUET_MODULES" "$@"; }
