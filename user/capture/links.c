// SPDX-License-Identifier: Apache-2.0
/* links: see links.h. */
#define _GNU_SOURCE
#include "capture/links.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "capture/uprobe_multi.h"
#include "proc/privilege.h"

/* A link of uprobe_multi, else one of perf. */
struct attached {
	int fd;
	struct bpf_link *link;
	unsigned int part;		/* one of enum bpf_parts, 0: in gotap itself */
};

struct bpf_program *links_program(struct bpf_object *object, const struct plan *plan, enum program p)
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

static void note_attached(struct links *l, int fd, struct bpf_link *link, unsigned int part)
{
	*(struct attached *)vec_push(&l->attached, sizeof(struct attached)) =
		(struct attached){ .fd = fd, .link = link, .part = part };
}

static unsigned int part_of(enum program p)
{
	return group_is_extra(plan_group_of(p)) ? BPF_EXTRAS : BPF_CORE;
}

/* One link carries all points of a program in a file, of which @first is the first. */
static int attach_multi(struct links *l, const struct probe_point *first, struct error *err)
{
	pid_t pid = l->proc->fs.own ? l->proc->pid : 0;	/* 0: all processes of this file */
	const struct vec *points = &l->plan->points;
	struct vec offsets = {0};
	size_t i;
	int fd;

	for (i = 0; i < points->len; i++) {
		const struct probe_point *pt = vec_at(points, struct probe_point, i);

		if (pt->program == first->program && pt->file == first->file)
			*(uint64_t *)vec_push(&offsets, sizeof(uint64_t)) = pt->file_offset;
	}
	fd = uprobe_multi_link(bpf_program__fd(links_program(l->object, l->plan, first->program)), file_of(l, first),
			       offsets.data, offsets.len, pid);
	vec_free(&offsets);
	if (fd < 0)
		return attach_error(l, fd, first->function, err);
	note_attached(l, fd, NULL, part_of(first->program));
	return 0;
}

/* The points of one program in one file get one link, at the first of them: is @i that? */
static bool is_first(const struct links *l, size_t i)
{
	const struct probe_point *points = l->plan->points.data;
	size_t j;

	for (j = 0; j < i; j++)
		if (points[j].program == points[i].program && points[j].file == points[i].file)
			return false;
	return true;
}

static int attach_perf(struct links *l, const struct probe_point *pt, struct error *err)
{
	pid_t pid = l->proc->fs.own ? l->proc->pid : -1;	/* -1: all processes of this file */
	struct bpf_link *link;

	link = bpf_program__attach_uprobe(links_program(l->object, l->plan, pt->program), false, pid, file_of(l, pt),
					  pt->file_offset);
	if (!link)
		return attach_error(l, -errno, pt->function, err);
	note_attached(l, -1, link, part_of(pt->program));
	return 0;
}

int links_attach(struct links *l, unsigned int parts, struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->plan->points.len && !r; i++) {
		const struct probe_point *pt = vec_at(&l->plan->points, struct probe_point, i);

		if (!(parts & part_of(pt->program)))
			continue;
		if (!l->multi)
			r = attach_perf(l, pt, err);
		else if (is_first(l, i))
			r = attach_multi(l, pt, err);
	}
	if (r)
		links_detach(l, parts);
	return r;
}

int links_attach_gotap(struct links *l, const char *program, uint64_t file_offset, struct error *err)
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
	note_attached(l, fd, link, 0);
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
 * To close a link takes a grace period of the kernel, about 50 ms; links that are closed side by
 * side wait for the same one. (Not links of perf: the kernel closes them one after the other.)
 * Without a thread it is done here.
 */
static void in_parallel(struct attached *items, size_t n)
{
	enum { MOST = 64 };
	pthread_t threads[MOST];
	bool runs[MOST] = { false };
	size_t i;

	for (i = 0; i < n; i++) {
		if (i < MOST)
			runs[i] = !thread_start(&threads[i], detach_one, &items[i]);
		if (i >= MOST || !runs[i])
			detach_one(&items[i]);
	}
	for (i = 0; i < n && i < MOST; i++)
		if (runs[i])
			pthread_join(threads[i], NULL);
}

void links_detach(struct links *l, unsigned int parts)
{
	struct vec gone = {0}, rest = {0};
	size_t i;

	for (i = 0; i < l->attached.len; i++) {
		struct attached *a = vec_at(&l->attached, struct attached, i);
		struct vec *to = !a->part || a->part & parts ? &gone : &rest;

		*(struct attached *)vec_push(to, sizeof(*a)) = *a;
	}
	vec_free(&l->attached);
	l->attached = rest;
	in_parallel(gone.data, gone.len);
	vec_free(&gone);
}
