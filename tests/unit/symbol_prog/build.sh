#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds this program in all the ways that give different tables, for
# tests/unit/symbol_sources.c and symbol_runtime.c:
#   build.sh GO OUT NAME [WAY...]   GO: go command, OUT: directory, NAME: prefix of files,
#                                   WAY: exe trim stripped pie noopt cgo cgo.pie cgo.pie.stripped
# Prints the paths of what it built; a mode that does not work is left out.
set -eu
go=$1 out=$2 name=$3
shift 3
ways=" $* "
export GOTOOLCHAIN=local GOFLAGS=
cd "$(dirname "$0")"

build() {
	suffix=$1 cgo=$2
	shift 2
	case $ways in "  " | *" ${suffix#.} "*) ;; *) return 0 ;; esac
	if GOGC=400 CGO_ENABLED=$cgo flock "$go" "$go" build "$@" -o "$out/$name$suffix" . 2>"$out/$name.log"; then
		echo "$out/$name$suffix"
	fi
}

build .exe 0
build .trim 0 -trimpath
build .stripped 0 '-ldflags=-s -w'
build .pie 0 -buildmode=pie
build .noopt 0 '-gcflags=all=-N -l'
build .cgo 1
build .cgo.pie 1 -buildmode=pie
build .cgo.pie.stripped 1 -buildmode=pie '-ldflags=-s -w'
