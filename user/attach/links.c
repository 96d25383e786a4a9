// SPDX-License-Identifier: Apache-2.0
/* links: see links.h. */
#define _GNU_SOURCE
#include "attach/links.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/inliner.h"
#include "attach/uprobe_multi.h"
#include "base/limits.h"
#include "proc/privilege.h"

/* A link of uprobe_multi, else one of perf. */
struct attached {
	int fd;
	struct bpf_link *link;
	unsigned int part;		/* one of enum bpf_parts, 0: in gotap itself */
	size_t point;			/* the first one that it carries */
};

struct bpf_program *links_program(struct bpf_object *object, const struct plan *plan,
				  enum program p)
{
	const char *suffix = plan->abi == GO_ABI_PUSH ? "" : "_old";	/* bpf/old.bpf.c */
	char name[64];

	snprintf(name, sizeof(name), "%s%s", program_name(p), suffix);
	return bpf_object__find_program_by_name(object, name);
}

static int attach_error(const struct links *l, int e, const char *function, struct error *err)
{
	unsigned int needs = PRIVILEGE_BPF | PRIVILEGE_PERFMON | PRIVILEGE_PTRACE;
	char why[256];

	if (e == -EPERM || e == -EACCES) {
		privilege_explain(l->multi ? needs : needs | PRIVILEGE_ADMIN, why);
		return error_set(err, e, "not allowed to probe %s: %s", function, why);
	}
	return error_set(err, e, "cannot probe %s: %s", function, strerror(-e));
}

static const char *file_of(const struct links *l, const struct probe_point *pt)
{
	return pt->file ? pt->file : l->proc->module;
}

static const struct probe_point *links_point_at(const struct links *l, size_t i)
{
	return vec_at(&l->plan->points, struct probe_point, i);
}

/* One link of uprobe_multi carries both. */
static bool share_link(const struct links *l, size_t i, size_t j)
{
	const struct probe_point *a = links_point_at(l, i), *b = links_point_at(l, j);

	return a->program == b->program && a->file == b->file && a->patch == b->patch &&
	       a->region == b->region;
}

static bool is_inline(const struct links *l, size_t i)
{
	return inliner_has(l->inliner, i);
}

static unsigned int part_of(enum program p)
{
	return group_is_extra(plan_group_of(p)) ? BPF_EXTRAS : BPF_CORE;
}

static void note_attached(struct links *l, int fd, struct bpf_link *link, unsigned int part,
			  size_t point)
{
	*(struct attached *)vec_push(&l->attached, sizeof(struct attached)) =
		(struct attached){ .fd = fd, .link = link, .part = part, .point = point };
}

/* One link carries all points that share it, of which @first is the first. */
static int attach_multi(struct links *l, size_t first, struct error *err)
{
	pid_t pid = l->proc->fs.own ? l->proc->pid : 0;	/* 0: all processes of this file */
	const struct probe_point *pt = links_point_at(l, first);
	struct vec offsets = {0};
	size_t i;
	int fd;

	for (i = first; i < l->plan->points.len; i++)
		if (share_link(l, i, first))
			*(uint64_t *)vec_push(&offsets, sizeof(uint64_t)) =
				links_point_at(l, i)->file_offset;
	fd = uprobe_multi_link(bpf_program__fd(links_program(l->object, l->plan, pt->program)),
			       file_of(l, pt), offsets.data, offsets.len, pid);
	vec_free(&offsets);
	if (fd < 0)
		return attach_error(l, fd, pt->function, err);
	note_attached(l, fd, NULL, part_of(pt->program), first);
	return 0;
}

static bool is_first(const struct links *l, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (share_link(l, i, j))
			return false;
	return true;
}

static int attach_perf(struct links *l, size_t i, struct error *err)
{
	pid_t pid = l->proc->fs.own ? l->proc->pid : -1;	/* -1: all processes of this file */
	const struct probe_point *pt = links_point_at(l, i);
	struct bpf_link *link;

	link = bpf_program__attach_uprobe(links_program(l->object, l->plan, pt->program), false,
					  pid, file_of(l, pt), pt->file_offset);
	if (!link)
		return attach_error(l, -errno, pt->function, err);
	note_attached(l, -1, link, part_of(pt->program), i);
	return 0;
}

static bool links_is_gone(const struct links *l, size_t i)
{
	uint32_t region = links_point_at(l, i)->region;

	return region && l->region_gone[region - 1];
}

/* The points that code in the target covers, or (@covered false) those that it does not. */
static int links_attach_points(struct links *l, unsigned int parts, bool covered,
			       struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->plan->points.len && !r; i++) {
		if (!(parts & part_of(links_point_at(l, i)->program)) ||
		    is_inline(l, i) != covered || links_is_gone(l, i))
			continue;
		if (!l->multi)
			r = attach_perf(l, i, err);
		else if (is_first(l, i))
			r = attach_multi(l, i, err);
	}
	return r;
}

int links_attach(struct links *l, unsigned int parts, struct error *err)
{
	int r = links_attach_points(l, parts, false, err);

	if (r)
		links_detach(l, parts);
	return r;
}

int links_cover(struct links *l, struct error *err)
{
	return links_attach_points(l, BPF_ALL, true, err);
}

int links_guard(struct links *l, const uint64_t *offsets, size_t n, struct error *err)
{
	struct bpf_program *prog =
		bpf_object__find_program_by_name(l->object, program_name(PROGRAM_guard));
	pid_t pid = l->proc->fs.own ? l->proc->pid : 0;
	struct bpf_link *link;
	size_t i;
	int fd;

	if (l->multi) {
		fd = uprobe_multi_link(bpf_program__fd(prog), l->proc->module, offsets, n, pid);
		if (fd < 0)
			return attach_error(l, fd, "calls that were changed", err);
		note_attached(l, fd, NULL, BPF_GUARD, 0);
		return 0;
	}
	for (i = 0; i < n; i++) {
		link = bpf_program__attach_uprobe(prog, false, pid ? pid : -1, l->proc->module,
						  offsets[i]);
		if (!link)
			return attach_error(l, -errno, "calls that were changed", err);
		note_attached(l, -1, link, BPF_GUARD, 0);
	}
	return 0;
}

int links_attach_gotap(struct links *l, const char *program, uint64_t file_offset,
		       struct error *err)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(l->object, program);
	struct bpf_link *link = NULL;
	int fd = -1;

	if (l->multi)
		fd = uprobe_multi_link(bpf_program__fd(prog), "/proc/self/exe", &file_offset, 1,
				       l->gotap);
	else
		link = bpf_program__attach_uprobe(prog, false, l->gotap, "/proc/self/exe",
						  file_offset);
	if (fd < 0 && !link)
		return attach_error(l, l->multi ? fd : -errno, program, err);
	note_attached(l, fd, link, 0, 0);
	return 0;
}

bool links_any(const struct links *l)
{
	size_t i;

	for (i = 0; i < l->attached.len; i++)
		if (vec_at(&l->attached, struct attached, i)->part)
			return true;
	return false;
}

static void *detach_one(void *item)
{
	struct attached *a = item;

	if (a->link)
		bpf_link__destroy(a->link);
	else
		close(a->fd);
	return NULL;
}

/*
 * To close a link takes a grace period of the kernel, about 50 ms; links of uprobe_multi that
 * threads close side by side wait for the same one, links of perf are closed one after the other by
 * the kernel. If no thread can be made, this one closes the link.
 */
static void in_parallel(struct attached *items, size_t n)
{
	enum { MOST = 64 };
	pthread_t threads[MOST];
	bool runs[MOST] = { false };
	size_t i;

	for (; n > MOST; items += MOST, n -= MOST)
		in_parallel(items, MOST);
	for (i = 0; i < n; i++) {
		runs[i] = !thread_start(&threads[i], detach_one, &items[i]);
		if (!runs[i])
			detach_one(&items[i]);
	}
	for (i = 0; i < n; i++)
		if (runs[i])
			pthread_join(threads[i], NULL);
}

/* The points that @goes chooses. */
static void links_detach_points(struct links *l,
				bool (*goes)(const struct links *l, const struct attached *a,
					     unsigned int what),
				unsigned int what)
{
	struct vec gone = {0}, rest = {0};
	size_t i;

	for (i = 0; i < l->attached.len; i++) {
		struct attached *a = vec_at(&l->attached, struct attached, i);
		struct vec *to = goes(l, a, what) ? &gone : &rest;

		*(struct attached *)vec_push(to, sizeof(*a)) = *a;
	}
	vec_free(&l->attached);
	l->attached = rest;
	in_parallel(gone.data, gone.len);
	vec_free(&gone);
}

static bool is_of_parts(const struct links *l, const struct attached *a, unsigned int parts)
{
	return !a->part || a->part & parts;
}

static bool is_released(const struct links *l, const struct attached *a, unsigned int flags)
{
	return a->part & BPF_ALL && is_inline(l, a->point) &&
	       (links_point_at(l, a->point)->patch == PATCH_FLAG) == flags;
}

void links_detach(struct links *l, unsigned int parts)
{
	links_detach_points(l, is_of_parts, parts);
}

static bool is_of_region(const struct links *l, const struct attached *a, unsigned int number)
{
	return a->part & BPF_ALL && links_point_at(l, a->point)->region == number;
}

static bool is_region_begin(const struct links *l, const struct attached *a, unsigned int number)
{
	return is_of_region(l, a, number) &&
	       links_point_at(l, a->point)->program == PROGRAM_region_begin;
}

void links_detach_region(struct links *l, unsigned int i)
{
	if (i >= REGIONS_MOST)
		return;
	l->region_gone[i] = true;
	/* the ends go last, so that calls which begin meanwhile have one */
	links_detach_points(l, is_region_begin, i + 1);
	links_detach_points(l, is_of_region, i + 1);
}

/* Flags last: one takes effect when the call that it leads to is gotap's already. */
void links_release(struct links *l)
{
	links_detach_points(l, is_released, false);
	links_detach_points(l, is_released, true);
}
