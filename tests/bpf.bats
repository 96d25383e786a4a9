#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# What kernels refuse in BPF programs, as far as their objects say. That the kernels take them is for `make kernels`.

load lib/common

@test "no program takes more stack, with what it calls, than Linux 6.1 allows" {
	local name
	for name in gotap gotap_oldkernel follow; do
		succeeds python3 "$CHECKOUT/tests/lib/bpf_stacks.py" "$BUILD/$name.bpf.o"
	done
}

@test "the sum of stacks is that of the calls, with callbacks" {
	local source=$BATS_TEST_TMPDIR/deep.c object=$BATS_TEST_TMPDIR/deep.o size
	require_tool clang
	cat >"$source" <<-'END'
		static long (*loop)(unsigned, void *, void *, unsigned long long) = (void *)181;
		static long (*read_kernel)(void *, unsigned, const void *) = (void *)113;
		static __attribute__((noinline)) long leaf(void *p)
		{
			char own[SIZE];
			return read_kernel(own, SIZE, p);
		}
		static long step(unsigned i, void *p) { return leaf(p); }
		__attribute__((section("kprobe/x"), used)) int program(void *ctx)
		{
			char own[200] = {0};
			return loop(3, step, own, 0);
		}
	END
	for size in 200 280; do
		clang -O2 -g -target bpf -mcpu=v3 "-DSIZE=$size" -c "$source" -o "$object"
		run_logged python3 "$CHECKOUT/tests/lib/bpf_stacks.py" "$object"
		[ "$status" -eq $((size > 250)) ]
	done
	contains "544 program:224 step:32 leaf:288"
	contains "3 functions, 2 calls"
}
