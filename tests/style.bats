#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# tools/style-check: the tree keeps its rules, and each rule finds what breaks it; tools/write-path.

CHECKOUT=$BATS_TEST_DIRNAME/..

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p user/low user/high bpf
	printf 'needs_low :=\nneeds_high := low\n' >Makefile
	printf 'static int low_one(void)\n{\n\treturn 1;\n}\n' >user/low/one.c
	printf '#include "low/low.h"\n\nstatic int high_one(void)\n{\n\treturn 2;\n}\n' >user/high/one.c
	: >user/low/low.h
	: >user/high/high.h
}

# breaks RULE LINE FILE: the tree with LINE at the end of FILE breaks RULE, and without it none
breaks() {
	"$CHECKOUT/tools/style-check"
	printf '%b\n' "$2" >>"$3"
	run "$CHECKOUT/tools/style-check"
	[ "$status" -eq 1 ]
	[[ $output == *"$3:"*": $1: "* ]]
}

@test "the tree keeps its rules" {
	cd "$CHECKOUT"
	tools/style-check
}

@test "the record of a blocked goroutine passes at most 30 functions, and no call comes back to a room" {
	cd "$CHECKOUT"
	tools/write-path --most 30
}

@test "a header of a room that is not named" {
	breaks layers '#include "high/high.h"' user/low/one.c
}

@test "a line of 101 columns" {
	breaks columns "/* $(printf 'x%.0s' {1..95}) */" user/low/one.c
}

@test "a static name of two functions" {
	breaks names 'static int high_one(void)\n{\n\treturn 3;\n}' user/low/one.c
}

@test "a text of 101 columns" {
	breaks columns "\t\"$(printf 'x%.0s' {1..91})\"" user/low/one.c
}

@test "a sentence that begins with Of" {
	breaks comments '/* Rows. Of a P. */' user/low/one.c
}

@test "a register outside of the files of an architecture" {
	breaks machine 'unsigned long rsp;' user/low/one.c
}

@test "a test for the architecture outside of these files" {
	breaks machine '#ifdef __x86_64__\n#endif' user/high/one.c
}

@test "such a test in BPF code" {
	breaks machine '#ifdef __TARGET_ARCH_arm64\n#endif' bpf/one.h
}

@test "tools/figures prints the figures of this tree" {
	cd "$CHECKOUT"
	run tools/figures
	[ "$status" -eq 0 ]
	[[ $output == *'lines of a function: median'* ]]
	[[ $output == *'circles of rooms, by #include'*' 0'* ]]
}

@test "tools/figures knows no circles of files without their objects" {
	run "$CHECKOUT/tools/figures"
	[ "$status" -eq 0 ]
	[[ $output == *'files in circles, by symbols'*'not known: of '*' files the object is missing'* ]]
}

doc_links() {
	python3 "$CHECKOUT/tests/lib/doc_links.py"
}

@test "the links of all pages lead somewhere, index.md has each page, and sources name pages that are there" {
	cd "$CHECKOUT"
	doc_links
}

@test "a link that leads nowhere, a page that index.md does not have, and a source that names no page" {
	local pages=docs	# so that this file names no page that is not there
	mkdir docs
	echo '[one](one.md), [two](../README.md)' >$pages/index.md
	echo 'text' | tee $pages/one.md README.md >CONTRIBUTING.md
	doc_links
	echo '[gone](gone.md)' >>README.md
	echo text >$pages/two.md
	echo "/* $pages/three.md */" >>user/low/low.h
	run doc_links
	[ "$status" -eq 1 ]
	[[ $output == *'README.md: links to gone.md, which is not there'* ]]
	[[ $output == *"$pages/index.md: has no link to $pages/two.md"* ]]
	[[ $output == *"user/low/low.h: names $pages/three.md, which is not there"* ]]
}
