/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: the kernel's links that hold the probes of one plan: makes and closes
 * them. Everything here runs in the prober (prober.h), on behalf of bpf.c.
 */
#ifndef GOTAP_ATTACH_LINKS_H
#define GOTAP_ATTACH_LINKS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "live/process.h"
#include "plan/plan.h"
#include "region.h"

struct inliner;

struct links {
	const struct inliner *inliner;
	const struct plan *plan;
	const struct process *proc;
	struct bpf_object *object;	/* loaded */
	bool multi;			/* by uprobe_multi, else by perf */
	pid_t gotap;
	struct vec attached;		/* struct attached */
	bool region_gone[REGIONS_MOST];	/* by index: its probes do not come back */
};

/* Probes come and go in two parts. */
enum bpf_parts {
	BPF_CORE = 1, BPF_EXTRAS = 2, BPF_ALL = 3,
	BPF_INLINE = 4,		/* only of a detach: the code in the target, too */
	BPF_GUARD = 8,		/* links_guard() */
};

/* The program of @object that serves @p in a program of that release. */
struct bpf_program *links_program(struct bpf_object *object, const struct plan *plan,
				  enum program p);
/* Attaches all of @parts or none, except probes that are code in the target (inliner_has). */
int links_attach(struct links *l, unsigned int parts, struct error *err);
/*
 * Uprobes that do nothing, at @n offsets in the module's file, until BPF_GUARD is detached: under
 * them code is changed.
 */
int links_guard(struct links *l, const uint64_t *offsets, size_t n, struct error *err);
/* Attaches one to gotap itself, until any part is detached. */
int links_attach_gotap(struct links *l, const char *program, uint64_t file_offset,
		       struct error *err);
/* Are there any in the program? */
bool links_any(const struct links *l);
/* Takes away the uprobes of places where code in the target has taken over. */
void links_release(struct links *l);
/* Puts uprobes at those places again. */
int links_cover(struct links *l, struct error *err);
/* Takes away those of region @i of the plan, for good. */
void links_detach_region(struct links *l, unsigned int i);
/* Returns when the kernel has taken them out. */
void links_detach(struct links *l, unsigned int parts);

#endif
