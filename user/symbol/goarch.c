// SPDX-License-Identifier: Apache-2.0
/* goarch: see goarch.h. */
#include "symbol/goarch.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>

#include "base/arch.h"

static const struct goarch goarches[GOARCHES] = {
	[GOARCH_AMD64] = {
		.id = GOARCH_AMD64, .name = "amd64", .elf = EM_X86_64,
		.elf_relative = R_X86_64_RELATIVE, .pc_quantum = 1, .call_len = 5,
		.int_args = 9, .float_args = 15,
		.register_args_since = 17, .cache_line = 64, .page_most = 4096,
		.regs = 27, .reg_pc = 16, .reg_sp = 19, .nr_sched_yield = 24,
	},
	[GOARCH_ARM64] = {
		.id = GOARCH_ARM64, .name = "arm64", .elf = EM_AARCH64,
		.elf_relative = R_AARCH64_RELATIVE, .pc_quantum = 4, .call_len = 4,
		.has_link = true, .int_args = 16, .float_args = 16,
		.register_args_since = 18, .cache_line = 128, .page_most = 65536,
		.frames_adjusted_since = 21,
		.regs = 34, .reg_pc = 32, .reg_sp = 31, .reg_link = 30, .nr_sched_yield = 124,
	},
};

const struct goarch *goarch_of(uint16_t elf)
{
	size_t i;

	for (i = 0; i < GOARCHES; i++)
		if (goarches[i].elf == elf)
			return &goarches[i];
	return NULL;
}

const struct goarch *goarch_of_recording(uint16_t elf)
{
	return elf ? goarch_of(elf) : &goarches[GOARCH_AMD64];
}

const struct goarch *goarch_host(void)
{
	return goarch_of(ARCH_ELF_MACHINE);
}

int goarch_check_host(const struct goarch *arch, const char *name, struct error *err)
{
	if (arch == goarch_host())
		return 0;
	return error_set(err, -ENOTSUP,
			 "'%s' is a program for %s, and this machine is of %s: record it on a "
			 "machine of %s ('gotap doctor' and readers of traces work here, too)",
			 name, arch->name, goarch_host()->name, arch->name);
}
