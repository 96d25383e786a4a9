// SPDX-License-Identifier: Apache-2.0
/* uprobe_multi: see uprobe_multi.h. */
#define _GNU_SOURCE
#include "attach/uprobe_multi.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/machine.h"

/* The part of union bpf_attr that BPF_LINK_CREATE reads for them (linux/bpf.h, 6.6). */
struct link_create_uprobe_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, reserved;
};

int uprobe_multi_link(int prog_fd, const char *path, const uint64_t *offsets, size_t n, pid_t pid)
{
	struct link_create_uprobe_multi attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = UPROBE_MULTI_ATTACH_TYPE,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)offsets,
		.cnt = (uint32_t)n,
		.pid = (uint32_t)pid,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/*
 * The request is invalid on purpose: the error number shows whether the kernel knows the link type.
 */
static int link_to_folder(int prog_fd, pid_t pid)
{
	static const uint64_t offset = 0;
	int fd = uprobe_multi_link(prog_fd, "/", &offset, 1, pid);

	if (fd >= 0)
		close(fd);
	return fd;
}

/*
 * The kernel that has the filter right (46ba0e49b642, 6.10) is also the one that
 * refuses a negative process id before it looks at the file, which libbpf uses
 * for the same purpose.
 */
bool uprobe_multi_supported(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gotap_probe", "GPL", insns, 2, &opts);
	bool has;

	if (fd < 0)
		return (errno == EPERM || errno == EACCES) && machine_release_is(6, 10);
	has = link_to_folder(fd, 0) == -EBADF && link_to_folder(fd, -1) == -EINVAL;
	close(fd);
	return has;
}
