// SPDX-License-Identifier: Apache-2.0
/*
 * none: --attach inline is for amd64. On arm64 cmd/record refuses it, so that of these functions
 * only leftover_find() is called: no earlier gotap has left code in a program. The others give the
 * error of the command line.
 */
#include <errno.h>
#include <unistd.h>

#include "inline/image.h"
#include "inline/inject.h"
#include "inline/leftover.h"
#include "inline/patch.h"
#include "inline/room.h"

static int inline_none(struct error *err)
{
	return error_set(err, -ENOTSUP, "--attach inline is for amd64");
}

int leftover_find(const struct process *p, const struct inject_hosts *hosts, uint64_t text_lo,
		  uint64_t text_hi, int known, struct injected *in, struct vec *patches,
		  struct error *err)
{
	return 0;
}

/* --- the memory in the program --- */

int room_check(const struct process *p, const struct cgroup_mounts *mounts, size_t code_size,
	       size_t shared_size, struct error *err)
{
	return inline_none(err);
}

int inject_possible(const struct process *p, struct error *err) { return inline_none(err); }

int inject_memory(const struct process *p, const struct inject_hosts *hosts, uint64_t near_lo,
		  uint64_t near_hi, size_t code_size, size_t shared_size, int timeout_ms,
		  struct injected *ret, struct error *err)
{
	return inline_none(err);
}

int inject_write(const struct process *p, const struct injected *in, uint64_t addr,
		 const void *data, size_t size, struct error *err)
{
	return inline_none(err);
}

int inject_remove(const struct process *p, const struct inject_hosts *hosts, struct injected *in,
		  int timeout_ms, struct error *err)
{
	return inline_none(err);
}

int inject_remove_left(const struct process *p, const struct inject_hosts *hosts,
		       struct injected *in, int timeout_ms, struct error *err)
{
	return inline_none(err);
}

void inject_free_pages(int memfd) {}

void injected_close(struct injected *in)
{
	if (in->memfd >= 0)
		close(in->memfd);
	if (in->mem >= 0)
		close(in->mem);
	in->memfd = in->mem = -1;
}

void holds_join(struct holds *all, const struct holds *more) {}

/* --- the changed instructions --- */

int patch_apply(const struct process *p, int mem, struct patch *patches, size_t n, bool undo,
		struct error *err)
{
	return inline_none(err);
}

int patch_uncover(const struct process *p, int mem, const struct patch *patches, size_t n,
		  struct error *err)
{
	return inline_none(err);
}

void patch_look(const struct process *p, struct patch *patches, size_t n) {}

ssize_t patch_disturbed(const struct process *p, const struct patch *patches, size_t n)
{
	return -1;
}

/* --- the code: none --- */

void image_init(struct image *im) { *im = (struct image){0}; }
void image_free(struct image *im) {}
void image_put(struct image *im, const char *name, const void *value, size_t size) {}
void image_set_layout(struct image *im, const struct inline_shared *shared) {}
void image_set_site(struct image *im, size_t i, const struct inline_site *site) {}
size_t image_stub(size_t i) { return 0; }
size_t image_true_byte(void) { return 0; }
int image_measure(struct image_prices *ret, struct error *err) { return inline_none(err); }
