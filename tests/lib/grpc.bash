# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# tests/grpc with google.golang.org/grpc of Debian's suites, of which each has another version: 1.27 in bullseye, 1.33 in
# bookworm, 1.64 in trixie, 1.81 in forky.

GRPC_PACKAGES=(golang-google-grpc-dev golang-golang-x-net-dev golang-golang-x-sys-dev golang-golang-x-text-dev
	golang-google-genproto-dev)

# What each version needs besides.
grpc_protobuf() {
	case $1 in
	bullseye) echo golang-goprotobuf-dev ;;
	bookworm) echo golang-github-golang-protobuf-1-3-dev ;;
	*) echo golang-google-protobuf-dev golang-github-golang-protobuf-1-5-dev ;;
	esac
}

# grpc_gopath SUITE: prints the folders that are a GOPATH together.
grpc_gopath() {
	local package paths=()
	for package in "${GRPC_PACKAGES[@]}" $(grpc_protobuf "$1"); do
		"$CHECKOUT/tools/go-fetch" --package "$package" --suite "$1" --as "$package-$1" >/dev/null || return 1
		paths+=("$CHECKOUT/build/go/pkg/$package-$1/usr/share/gocode")
	done
	(IFS=:; echo "${paths[*]}")
}

# grpc_go VERSION GOPATH ARGUMENT...: the go command, without modules and without a network.
grpc_go() {
	local go=$CHECKOUT/build/go/go$1/bin/go path=$2
	[ -x "$go" ] || "$CHECKOUT/tools/go-fetch" "$1" >/dev/null
	shift 2
	GO111MODULE=off GOTOOLCHAIN=local GOFLAGS='' GOPROXY=off GOWORK=off CGO_ENABLED=0 GOPATH=$path GOGC=400 flock "$go" "$go" "$@"
}

# build_grpc SUITE VERSION [FLAG...]: PROG is tests/grpc with grpc of the suite, built by the release of Go. A program that
# is newer than its sources is left as it is.
build_grpc() {
	local suite=$1 version=$2 out=$BUILD/grpc_prog path tags=
	shift 2
	PROG=$out/calls-$suite-$version$*
	[ "$suite" != bullseye ] || tags=grpc_old
	mkdir -p "$out"
	[ -z "$(find "$CHECKOUT/tests/grpc" -name '*.go' -newer "$PROG" 2>&1)" ] && return
	path=$(grpc_gopath "$suite") || fail "grpc of $suite could not be fetched"
	(cd "$CHECKOUT/tests/grpc" && grpc_go "$version" "$path" build -tags "$tags" "$@" -o "$PROG.$$" .) || fail "it does not build"
	mv "$PROG.$$" "$PROG"
}
