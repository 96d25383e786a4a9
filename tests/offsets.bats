#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# What gotap knows of the runtime's structs, by release, is what the compilers make of its sources.

load lib/common

@test "structs are what the compiler of a release made of its sources, and reasons have the numbers of its sources" {
	local release
	for release in "${ALL_GO[@]}"; do
		require_go "$release"
	done
	cd "$CHECKOUT"
	# Of each release the package runtime is compiled here: what other tests have compiled is the same.
	require_go "$REFERENCE_GO"
	GOCACHE=$("$GO" env GOCACHE)
	export GOCACHE
	succeeds tools/gen-offsets --check
}
