#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh GOROOT OUT: builds v1links with the parser in GOROOT, that of a release up to Go 1.22.
# The parser is copied: those releases have no overlays, or their parser needs nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
goroot=$(cd "$1" && pwd)
out=$2
case $out in /*) ;; *) out=$PWD/$out ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/trace"
cp "$goroot/src/internal/trace/parser.go" "$goroot/src/internal/trace/order.go" "$here/export.go" "$work/trace"
cp "$here/main.go" "$work"
printf 'module v1links\n' >"$work/go.mod"
cd "$work"
GOTOOLCHAIN=local GOFLAGS='' GOPROXY=off GO111MODULE=on "$goroot/bin/go" build -o "$out" .
