#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh GOROOT OUT: builds readfuzz with the packages inside GOROOT, which stays as it is.
set -eu
goroot=$("$1/bin/go" env GOROOT)
here=$(cd "$(dirname "$0")" && pwd)
out=$2
case $out in /*) ;; *) out=$PWD/$out ;; esac
overlay=$(mktemp)
trap 'rm -f "$overlay"' EXIT
printf '{"Replace":{"%s":"%s","%s":"%s"}}' \
	"$goroot/src/cmd/gotapreadfuzz/main.go" "$here/main.go" \
	"$goroot/src/cmd/gotapreadfuzz/fuzz.go" "$here/fuzz.go" >"$overlay"
cd "$goroot/src/cmd"
GOTOOLCHAIN=local GOFLAGS= GOPROXY=off "$goroot/bin/go" build -overlay "$overlay" -o "$out" cmd/gotapreadfuzz
