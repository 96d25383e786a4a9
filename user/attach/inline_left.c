// SPDX-License-Identifier: Apache-2.0
/* inline_left: see inline_left.h. */
#include "attach/inline_left.h"

#include <errno.h>

struct left_memory {
	struct injected in;
	bool earlier;
};

static struct left_memory *left_at(const struct inline_left *l, size_t i)
{
	return vec_at(&l->all, struct left_memory, i);
}

void inline_left_add(struct inline_left *l, struct injected *memory, bool earlier)
{
	*(struct left_memory *)vec_push(&l->all, sizeof(struct left_memory)) =
		(struct left_memory){ *memory, earlier };
	*memory = INJECTED_NONE;
}

bool inline_left_has(const struct inline_left *l, bool earlier)
{
	size_t i;

	for (i = 0; i < l->all.len; i++)
		if (left_at(l, i)->earlier == earlier)
			return true;
	return false;
}

static void left_add_file(struct vec *fds, int fd)
{
	if (fd >= 0)
		*(int *)vec_push(fds, sizeof(int)) = fd;
}

void inline_left_files(const struct inline_left *l, struct vec *fds)
{
	size_t i;

	for (i = 0; i < l->all.len; i++) {
		left_add_file(fds, left_at(l, i)->in.memfd);
		left_add_file(fds, left_at(l, i)->in.mem);
	}
}

int inline_left_take(struct inline_left *l, const struct process *p,
		     const struct inject_hosts *hosts, int timeout_ms, struct holds *held,
		     struct error *err)
{
	size_t i, kept = 0;
	int r, all = 0;

	for (i = 0; i < l->all.len; i++) {
		struct left_memory *m = left_at(l, i);

		r = inject_remove_left(p, hosts, &m->in, timeout_ms, err);
		holds_join(held, &m->in.held);
		m->in.held = (struct holds){0};
		if (r && r != -ESRCH) {
			*left_at(l, kept++) = *m;
			all = -EBUSY;
		} else {
			injected_close(&m->in);
		}
	}
	l->all.len = kept;
	if (!kept)
		vec_free(&l->all);
	return all;
}
