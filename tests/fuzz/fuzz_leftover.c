// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_leftover: any bytes as memory of a killed gotap in a process, as the text of that process in
 * its file and in memory, and as more of its mappings. gotap would write the bytes of the file at
 * each address that it finds, and unmap the code: so each must be of the text and lead to the code,
 * and the code must be a mapping of no file.
 *
 * The process is the fuzzer itself, with mappings that a folder has in place of /proc.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "inline.h"
#include "inline/inside.h"
#include "inline/leftover.h"

enum { TEXT = 16 << 10, PAGE = 4096, SHARED = 0x70000000, SHARED_SIZE = 64 << 10 };

/* The input begins with this. The text of the file follows, that of the memory, and mappings. */
struct head {
	uint64_t code, code_size;
	uint16_t text_len;
	uint8_t has_magic, is_mapped, is_near, by_descriptor;	/* near: code is a distance from the text */
} __attribute__((packed));

static uint8_t memory[TEXT] __attribute__((aligned(4096)));
static char root[64], folder[96];
static int shared = -1, module = -1;

/* No thread of the fuzzer has a call to make for a killed gotap. */
int inside_settle(const struct process *p, const struct inject_hosts *hosts, int timeout_ms,
		  struct holds *held, struct error *err)
{
	(void)p, (void)hosts, (void)timeout_ms, (void)held, (void)err;
	return 0;
}

void injected_close(struct injected *in)
{
	if (in->memfd >= 0)
		close(in->memfd);
	in->memfd = -1;
}

static void path_of(char path[160], const char *name)
{
	snprintf(path, 160, "%s/%s", folder, name);
}

__attribute__((destructor)) static void remove_folder(void)
{
	static const char *const parts[] = { "map_files/link", "map_files", "fd/3", "fd", "maps", "smaps" };
	char path[160], link[64];
	size_t i;

	if (!*root)
		return;
	snprintf(link, sizeof(link), "map_files/%x-%x", SHARED, SHARED + SHARED_SIZE);
	path_of(path, link);
	remove(path);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		path_of(path, parts[i]);
		remove(path);
	}
	rmdir(folder);
	rmdir(root);
}

static void put_link(const char *name, int fd)
{
	char path[160], to[64];

	path_of(path, name);
	snprintf(to, sizeof(to), "/proc/%d/fd/%d", getpid(), fd);
	must(!symlink(to, path), "the link is made");
}

static void make_folder(void)
{
	char path[160], link[64];

	if (*root)
		return;
	snprintf(root, sizeof(root), "/dev/shm/gotap-leftover.%d", getpid());
	mkdir(root, 0700);
	snprintf(folder, sizeof(folder), "%s/%d", root, getpid());
	mkdir(folder, 0700);
	path_of(path, "map_files");
	mkdir(path, 0700);
	path_of(path, "fd");
	mkdir(path, 0700);
	shared = memfd_create(INLINE_NAME, 0);
	module = memfd_create("module", 0);
	must(shared >= 0 && module >= 0, "there are files");
	snprintf(link, sizeof(link), "map_files/%x-%x", SHARED, SHARED + SHARED_SIZE);
	put_link(link, shared);
	put_link("fd/3", shared);
}

static void put_text(int fd, const uint8_t *data, size_t n)
{
	must(!ftruncate(fd, 0) && pwrite(fd, data, n, 0) == (ssize_t)n, "the file is written");
}

static void put_shared(const struct head *h)
{
	struct inline_shared begin = { .magic = h->has_magic ? INLINE_MAGIC : h->code, .code = h->code,
				       .code_size = h->code_size };

	put_text(shared, (const uint8_t *)&begin, sizeof(begin));
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static void put_maps(const struct head *h, const uint8_t *more, size_t n)
{
	uint64_t text = (uintptr_t)memory;
	char path[160];
	FILE *f;

	path_of(path, "maps");
	f = fopen(path, "w");
	must(f, "the mappings are written");
	fprintf(f, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:01 %" PRIu64 " /memfd:module (deleted)\n", text,
		text + TEXT, inode_of(module));
	if (h->is_mapped)
		fprintf(f, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 \n", h->code,
			h->code + h->code_size + PAGE);
	if (!h->by_descriptor)
		fprintf(f, "%x-%x rw-s 00000000 00:01 %" PRIu64 " /memfd:" INLINE_NAME " (deleted)\n", SHARED,
			SHARED + SHARED_SIZE, inode_of(shared));
	fwrite(more, 1, n, f);
	fclose(f);
}

static bool is_of_no_file(const struct head *h, const struct injected *in)
{
	return !in->code || (in->code == h->code && in->code % PAGE == 0 && in->code_size % PAGE == 0 &&
			     in->code + in->code_size > in->code);
}

static void check_patches(const struct injected *in, const struct vec *patches, const uint8_t *text, size_t n)
{
	uint64_t low = (uintptr_t)memory, before = 0;
	size_t i;

	must(patches->len <= 2 * INLINE_SITES, "there are no more than gotap makes");
	must(!patches->len || in->code, "no patch leads nowhere");
	for (i = 0; i < patches->len; i++) {
		const struct patch *pt = vec_at(patches, struct patch, i);

		must(pt->addr > before || !i, "each comes once");
		must(pt->addr >= low && pt->addr + pt->len <= low + n, "it is of the text");
		must(pt->len <= sizeof(pt->bytes) && pt->at + 4u <= pt->len, "the operand is of it");
		must(!memcmp(pt->bytes, text + (pt->addr - low), pt->len), "it has the bytes of the file");
		must(pt->to - in->code < in->code_size + PAGE, "it leads to the code");
		before = pt->addr;
	}
}

static void find(const struct head *h, const uint8_t *text)
{
	struct process proc = PROCESS_CLOSED;
	struct injected in = INJECTED_NONE;
	struct vec patches = {0};
	struct error err;
	int r;

	proc.pid = getpid();
	snprintf(proc.fs.dir, sizeof(proc.fs.dir), "%s", root);
	snprintf(proc.module, sizeof(proc.module), "/proc/self/fd/%d", module);
	r = leftover_find(&proc, &(struct inject_hosts){0}, (uintptr_t)memory, (uintptr_t)memory + h->text_len, -1,
			  &in, &patches, &err);
	must(r <= 1, "it is there or not");
	if (r == 1) {
		must(is_of_no_file(h, &in), "the code is what the mappings have");
		check_patches(&in, &patches, text, h->text_len);
	}
	injected_close(&in);
	vec_free(&patches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *text = data + sizeof(struct head);
	struct head h;

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	size -= sizeof(h);
	h.text_len %= TEXT + 1;
	h.code += h.is_near ? (uintptr_t)memory : 0;
	if (2u * h.text_len > size)
		h.text_len = (uint16_t)(size / 2);
	make_folder();
	put_text(module, text, h.text_len);
	memcpy(memory, text + h.text_len, h.text_len);
	put_shared(&h);
	put_maps(&h, text + 2 * h.text_len, size - 2u * h.text_len);
	find(&h, text);
	return 0;
}
