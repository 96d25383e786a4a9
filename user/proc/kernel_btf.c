// SPDX-License-Identifier: Apache-2.0
/* kernel_btf: see kernel_btf.h. */
#define _GNU_SOURCE
#include "proc/kernel_btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/cleanup.h"

static const char *btf_path;

void kernel_btf_use(const char *path)
{
	btf_path = path;
}

const char *kernel_btf_file(void)
{
	return btf_path;
}

/* What libbpf has to say of it, the caller says. */
static struct btf *btf_load(const char *path)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();
	int e = errno;

	libbpf_set_print(print);
	errno = e;
	return btf;
}

struct btf *kernel_btf_own(void)
{
	return btf_load(NULL);
}

/* --- the file --- */

/* A vmlinux with debug data has some 700 MB. */
enum { BTF_FILE_MOST = 2000000000 };

static const char how_to_get[] = "docs/kernels.md says where to get one";

/* The first bytes of files that are often taken for BTF. */
static const struct {
	unsigned char size, bytes[6];
	const char *what;
} btf_mistaken[] = {
	{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0 }, "is compressed by xz: unpack it first" },
	{ 4, { 0x28, 0xb5, 0x2f, 0xfd }, "is compressed by zstd: unpack it first" },
	{ 2, { 0x1f, 0x8b }, "is compressed by gzip: unpack it first" },
	{ 2, { 0xeb, 0x9f }, "is BTF of an architecture with the other order of bytes" },
};

static int btf_bad(struct error *err, int code, const char *what)
{
	return error_set(err, code, "--btf %s %s; %s", btf_path, what, how_to_get);
}

union btf_head {
	Elf64_Ehdr elf;
	unsigned char bytes[64];
};

static int btf_check_elf(const Elf64_Ehdr *head, struct error *err)
{
	char what[80];

	if (head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
	    head->e_machine == ARCH_ELF_MACHINE)
		return 0;
	snprintf(what, sizeof(what), "is of another architecture: this gotap is for %s",
		 ARCH_KERNEL_NAME);
	return btf_bad(err, -EINVAL, what);
}

/* Tells it by its first bytes. */
static int btf_check_kind(const union btf_head *head, size_t n, struct error *err)
{
	static const unsigned char raw[] = { 0x9f, 0xeb };
	size_t i;

	for (i = 0; i < sizeof(btf_mistaken) / sizeof(btf_mistaken[0]); i++)
		if (n >= btf_mistaken[i].size &&
		    !memcmp(head->bytes, btf_mistaken[i].bytes, btf_mistaken[i].size))
			return btf_bad(err, -EINVAL, btf_mistaken[i].what);
	if (n >= sizeof(raw) && !memcmp(head->bytes, raw, sizeof(raw)))
		return 0;
	if (n >= sizeof(head->elf) && !memcmp(head->bytes, ELFMAG, SELFMAG))
		return btf_check_elf(&head->elf, err);
	return btf_bad(err, -EINVAL, "is neither BTF nor an ELF file with a section .BTF");
}

static int btf_check_file(struct error *err)
{
	_cleanup_close_ int fd = open(btf_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	union btf_head head = {0};
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, -errno, "cannot open --btf %s: %s", btf_path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return btf_bad(err, -EINVAL, "is not a regular file");
	if (st.st_size > BTF_FILE_MOST)
		return btf_bad(err, -EFBIG, "is larger than 2 GB");
	n = pread(fd, &head, sizeof(head), 0);
	return btf_check_kind(&head, n > 0 ? (size_t)n : 0, err);
}

/* --- what is in it --- */

/* Fields that gotap's programs read in each recording, of structs that minimal BTF keeps. */
static const struct btf_needed {
	const char *in, *field;
} btf_needed[] = {
	{ "task_struct", "stack" },
	{ "task_struct", "thread" },
	{ "thread_struct", NULL },	/* ARCH_THREAD_FIELD */
};

enum { BTF_NEEDED = sizeof(btf_needed) / sizeof(btf_needed[0]) };

/* The offset of a field in bits; -1: there is no such struct, -2: it has no such field. */
static long btf_offset(const struct btf *btf, const struct btf_needed *n)
{
	const char *field = n->field ? n->field : ARCH_THREAD_FIELD;
	int id = btf__find_by_name_kind(btf, n->in, BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
	unsigned int i;

	if (!t)
		return -1;
	for (i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), field))
			return btf_member_bit_offset(t, i);	/* kernel_btf_is_sound() */
	return -2;
}

static int btf_check_types(const struct btf *btf, struct error *err)
{
	char what[160];
	long offset;
	int i;

	for (i = 0; i < BTF_NEEDED; i++) {
		offset = btf_offset(btf, &btf_needed[i]);
		if (offset >= 0)
			continue;
		if (offset == -2 && !btf_needed[i].field)
			snprintf(what, sizeof(what),
				 "is of another architecture: this gotap is for %s",
				 ARCH_KERNEL_NAME);
		else
			snprintf(what, sizeof(what),
				 "has no struct %s with a field %s: it is of no kernel, or was "
				 "made minimal for other programs",
				 btf_needed[i].in,
				 btf_needed[i].field ? btf_needed[i].field : ARCH_THREAD_FIELD);
		return btf_bad(err, -EINVAL, what);
	}
	return 0;
}

/* Where the running kernel shows its own types, those of another kernel are found out. */
static int btf_check_running(const struct btf *btf, struct error *err)
{
	struct btf *own = btf_load("/sys/kernel/btf/vmlinux");
	char what[160];
	long there, here;
	int i, r = 0;

	for (i = 0; own && !r && i < BTF_NEEDED; i++) {
		there = btf_offset(btf, &btf_needed[i]);
		here = btf_offset(own, &btf_needed[i]);
		if (here < 0 || there == here)
			continue;
		snprintf(what, sizeof(what),
			 "is of another kernel than the one that runs: %s.%s is at byte %ld, "
			 "and here at %ld",
			 btf_needed[i].in,
			 btf_needed[i].field ? btf_needed[i].field : ARCH_THREAD_FIELD, there / 8,
			 here / 8);
		r = btf_bad(err, -EINVAL, what);
	}
	btf__free(own);
	return r;
}

int kernel_btf_check(struct error *err)
{
	struct btf *btf;
	int r;

	if (!btf_path)
		return 0;
	r = btf_check_file(err);
	if (r)
		return r;
	btf = btf_load(btf_path);
	if (!btf)
		return btf_bad(err, -EINVAL, errno == ENOENT || errno == ENODATA ?
				       "has no section .BTF" : "is damaged");
	if (!kernel_btf_is_sound(btf))
		r = btf_bad(err, -EINVAL, "is damaged");
	if (!r)
		r = btf_check_types(btf, err);
	if (!r)
		r = btf_check_running(btf, err);
	btf__free(btf);
	return r;
}
