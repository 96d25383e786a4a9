/* SPDX-License-Identifier: Apache-2.0 */
/* patches: the state of patches.c and patches_special.c. */
#ifndef GOTAP_PLAN_PATCHES_H
#define GOTAP_PLAN_PATCHES_H

#include "plan/internal.h"

/* plan_inline() makes it, for one plan. */
struct patches {
	struct plan *p;
	const struct gobin *b;
	struct vec starts;	/* uint64_t: of functions that have a probe at their start */
	struct vec refs;	/* struct reference: to these */
};

static inline struct probe_point *patches_point_at(const struct plan *p, size_t i)
{
	return vec_at(&p->points, struct probe_point, i);
}

/* The index of the first point of @program; points.len: there is none. */
size_t patches_find(const struct plan *p, enum program program);
/* Returns whether the reference @ref leads to the start of @fn. */
bool patches_refers_to(const struct patches *w, const struct reference *ref,
		      const struct gobin_func *fn);
void patches_remove(struct plan *p, size_t i);
void patches_remove_all(struct plan *p, enum program program);

/*
 * Each moves the probes of one program to where inline code can take their place, or notes why that
 * cannot be.
 */
int patches_move_coroswitch(struct patches *w, struct error *err);
int patches_move_syscall_exit(struct patches *w, struct error *err);
int patches_move_assist_end(struct patches *w, struct error *err);
int patches_move_heap_goal(struct patches *w, struct error *err);

#endif
