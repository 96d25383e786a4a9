// SPDX-License-Identifier: Apache-2.0
/* kernel_atomics: see kernel_atomics.h. */
#include "proc/kernel_atomics.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "base/arch.h"

const char kernel_atomics_lacking[] =
	"this kernel does not compile atomic instructions of BPF, which gotap needs on " ARCH_NAME
	": it takes Linux 5.18 or later, with net.core.bpf_jit_enable=1";

bool kernel_atomics_needed(void)
{
	return !ARCH_ORDERED_STORES;	/* those of amd64 are ordered */
}

/* Loads "*(u64 *)(r10 - 8) = 1, exchange it with 1". */
static int load_exchange(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1,
		  .off = -8 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_1, .off = -8, .imm = BPF_XCHG },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gotap_atomics", "GPL", code,
			     sizeof(code) / sizeof(*code), NULL);
}

static bool is_compiled(int fd)
{
	struct bpf_prog_info info = {0};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) || info.jited_prog_len;
}

int kernel_atomics_check(struct error *err)
{
	bool known;
	int fd;

	if (!kernel_atomics_needed())
		return 0;
	fd = load_exchange();
	known = fd >= 0 ? is_compiled(fd) : fd == -EPERM || fd == -EACCES;
	if (fd >= 0)
		close(fd);
	return known ? 0 : error_set(err, -ENOTSUP, "%s", kernel_atomics_lacking);
}
