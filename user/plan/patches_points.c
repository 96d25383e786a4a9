// SPDX-License-Identifier: Apache-2.0
/*
 * patches_points: finds, removes and patches points of a plan for `--attach inline`, and notes why
 * a probe is not patched. patches.c, patches_special.c and plugin.c decide on the points.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan/patches.h"

size_t patches_find(const struct plan *p, enum program program)
{
	size_t i;

	for (i = 0; i < p->points.len && patches_point_at(p, i)->program != program; i++)
		;
	return i;
}

void patches_remove(struct plan *p, size_t i)
{
	memmove(patches_point_at(p, i), patches_point_at(p, i + 1),
		(p->points.len - i - 1) * sizeof(struct probe_point));
	p->points.len--;
}

void patches_remove_all(struct plan *p, enum program program)
{
	size_t at;

	while ((at = patches_find(p, program)) < p->points.len)
		patches_remove(p, at);
}

size_t plan_inline_count(const struct plan *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->points.len; i++)
		n += patches_point_at(p, i)->patch != PATCH_NONE;
	return n;
}

static bool patches_is_noted(const struct plan *p, const char *function)
{
	size_t i;

	for (i = 0; i < p->not_inline.len; i++)
		if (!strcmp(vec_at(&p->not_inline, struct not_inline, i)->function, function))
			return true;
	return false;
}

void plan_note_not_inline(struct plan *p, const char *function, const char *fmt, ...)
{
	struct not_inline *note;
	va_list ap;

	if (patches_is_noted(p, function))
		return;
	note = vec_push(&p->not_inline, sizeof(*note));
	note->function = function;
	va_start(ap, fmt);
	vsnprintf(note->why, sizeof(note->why), fmt, ap);
	va_end(ap);
}

bool plan_patch_call(const struct gobin *b, struct probe_point *point)
{
	uint64_t target;

	if (!code_is_call(b, point->addr, &target))
		return false;
	point->patch = PATCH_CALL;
	point->patch_target = target;
	point->len = gobin_arch(b)->call_len;
	memcpy(point->bytes, gobin_bytes(b, point->addr, point->len), point->len);
	return true;
}

bool patches_refers_to(const struct patches *w, const struct reference *ref,
		      const struct gobin_func *fn)
{
	return *vec_at(&w->starts, uint64_t, ref->to) == fn->addr;
}
