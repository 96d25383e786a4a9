/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_btf: the types of the kernel (BTF), by which libbpf fits the BPF programs to it (CO-RE):
 * the kernel's own, or those of a file (--btf). One for the process, chosen while options are read.
 */
#ifndef GOTAP_PROC_KERNEL_BTF_H
#define GOTAP_PROC_KERNEL_BTF_H

#include <stdbool.h>

#include "base/error.h"

struct btf;

/* Chooses the file @path, which must live as long as the process; NULL: the kernel's own. */
void kernel_btf_use(const char *path);
/* The file that was chosen; NULL: the kernel's own. */
const char *kernel_btf_file(void);
/*
 * Can gotap's programs be fitted to the kernel by the file? Raw BTF, or an ELF file with a section
 * .BTF; of the architecture of this gotap; with the types of a kernel; and, where the running
 * kernel has BTF, with the same offsets. 0 without a file. -EINVAL and others: what is wrong.
 */
int kernel_btf_check(struct error *err);
/*
 * Whether each name and each type that a type of @btf refers to is there, and none contains itself:
 * libbpf (1.1) follows both without a look.
 */
bool kernel_btf_is_sound(const struct btf *btf);
/* The kernel's own types; NULL: they cannot be read. The caller frees them (btf__free). */
struct btf *kernel_btf_own(void);

#endif
