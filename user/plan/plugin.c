// SPDX-License-Identifier: Apache-2.0
/*
 * plugin: the code of package runtime that a plugin brings along (module.h).
 * In: the plan of a program and a plugin of it. Out: the same plan with the
 * plugin's probes and call sites. Their addresses are moved so that the
 * program's load bias is right for them too.
 */
#include <errno.h>
#include <string.h>

#include "plan/internal.h"

static bool has_program(const struct plan *p, enum program program)
{
	size_t i;

	for (i = 0; i < p->points.len; i++)
		if (vec_at(&p->points, struct probe_point, i)->program == program)
			return true;
	return false;
}

/* Returns whether both have probes of a program that sit at calls in only one of them. */
static bool inline_differs(const struct plan *a, const struct plan *b)
{
	size_t i;

	for (i = INLINE_NONE + 1; i < INLINE_PROGRAMS; i++) {
		enum program program = plan_inline_program((enum inline_program)i);

		if (((a->at_calls ^ b->at_calls) >> i & 1) && has_program(a, program) &&
		    has_program(b, program))
			return true;
	}
	return false;
}

/* The BPF programs have one copy of these facts, so both modules must have the same. */
static const char *plugin_difference(const struct plan *a, const struct plan *b)
{
	if (a->minor != b->minor || strcmp(a->go_version, b->go_version))
		return "they are of different releases of Go";
	if (memcmp(&a->offsets, &b->offsets, sizeof(a->offsets)))
		return "their field offsets differ";
	if (a->exitsyscall_p_reg != b->exitsyscall_p_reg)
		return "their exitsyscall uses different registers";
	if (a->at_status_calls != b->at_status_calls || a->heap_live_reg != b->heap_live_reg)
		return "-pgo has inlined different functions";
	if (memcmp(&a->gstack_lo, &b->gstack_lo, sizeof(a->gstack_lo)) ||
	    memcmp(&a->gstack_size, &b->gstack_size, sizeof(a->gstack_size)))
		return "their stackalloc uses different registers: leave out the events "
		       "of group 'stacks'";
	if (memcmp(&a->object_addr, &b->object_addr, sizeof(a->object_addr)) ||
	    memcmp(&a->object_size, &b->object_size, sizeof(a->object_size)) ||
	    memcmp(&a->object_type, &b->object_type, sizeof(a->object_type)))
		return "their mallocgc uses different registers: leave out the events of group "
		       "'objects'";
	if (a->sema_slot != b->sema_slot)
		return "their semacquire1 has different frames";
	if (a->ready_skip_slot != b->ready_skip_slot)
		return "their ready has different frames";
	if (inline_differs(a, b))
		return "functions of the one have probes at their calls, of the other at their "
		       "start: "
		       "use --attach auto";
	return NULL;
}

static bool plugin_is_noted(const struct plan *p, const char *function)
{
	size_t i;

	for (i = 0; i < p->missing.len; i++)
		if (!strcmp(vec_at(&p->missing, struct missing_probe, i)->function, function))
			return true;
	return false;
}

static void add_missing(struct plan *p, const struct plan *of)
{
	size_t i;

	for (i = 0; i < of->missing.len; i++) {
		const struct missing_probe *m = vec_at(&of->missing, struct missing_probe, i);

		if (!plugin_is_noted(p, m->function))
			*(struct missing_probe *)vec_push(&p->missing, sizeof(*m)) = *m;
	}
}

/* Code inside the program patches the program's own code only. */
static void plugin_add_point(struct plan *p, const struct probe_point *of, const char *file,
			     uint64_t shift)
{
	struct probe_point *point;

	if (of->program == PROGRAM_guard)
		return;
	point = vec_push(&p->points, sizeof(*point));
	*point = *of;
	point->addr += shift;
	point->file = file;
	point->patch = PATCH_NONE;
}

static void plugin_add_all(struct plan *p, const struct plan *of, const char *file, uint64_t shift)
{
	size_t i;

	for (i = 0; i < of->points.len; i++)
		plugin_add_point(p, vec_at(&of->points, struct probe_point, i), file, shift);
	if (p->for_inline)
		plan_note_not_inline(p, "plugins",
				     "what a plugin has of package runtime keeps its breakpoints");
	p->at_calls |= of->at_calls;
	for (i = 0; i < of->sites.len; i++) {
		struct site_row *row = vec_push(&p->sites, sizeof(*row));

		*row = *vec_at(&of->sites, struct site_row, i);
		row->pc += shift;
	}
	add_missing(p, of);
	p->unseen_unblocks |= of->unseen_unblocks;
}

int plan_add_plugin(struct plan *p, const struct gobin *plugin, const char *file, uint64_t shift,
		    struct error *err)
{
	struct plan of;
	const char *other;
	int r = p->for_inline ? plan_make_inline(&of, plugin, p->groups, err) :
				plan_make(&of, plugin, p->groups, err);

	if (!r && p->for_inline)
		plan_inline_like(p, &of);
	if (!r && (other = plugin_difference(p, &of)))
		r = error_set(err, -ENOTSUP,
			      "cannot trace plugin '%s' and its program together: %s",
			      gobin_path(plugin), other);
	if (!r)
		plugin_add_all(p, &of, file, shift);
	plan_release(&of);
	return r;
}
