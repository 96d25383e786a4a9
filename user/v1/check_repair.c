// SPDX-License-Identifier: Apache-2.0
/*
 * check_repair: handles an event that breaks a rule in a damaged trace. Earlier events are lost:
 * the event's goroutines and Ps get the states in which they are after this event, or the event is
 * left out. check.c calls this file.
 */
#include "v1/check.h"

/* Takes the running goroutine off P @id: the event that stopped the goroutine is lost. */
static void release_p(struct check *c, int64_t id)
{
	struct check_p *p = rule_p(c, id);
	struct check_g *g = rule_g(c, p->g);

	if (p->g && g->state == CHECK_RUNNING)
		g->state = CHECK_RUNNABLE;
	p->g = 0;
}

static bool is_dead(const struct check_g *g)
{
	return g->exists && g->state == CHECK_DEAD;
}

/* Sets the state of goroutine @id to @state. False: it has ended. */
static bool v1_repair_force(struct check *c, uint64_t id, enum check_g_state state, uint8_t type)
{
	struct check_g *g = rule_g(c, id);

	if (!id || is_dead(g))
		return false;
	g->exists = true;
	g->state = state;
	g->last = type;
	return true;
}

static bool force_start(struct check *c, const struct v1_event *ev)
{
	if (!v1_repair_force(c, ev->g, CHECK_RUNNING, 0))
		return false;
	release_p(c, ev->p);
	rule_p(c, ev->p)->g = ev->g;
	return true;
}

static bool force_proc(struct check *c, const struct v1_event *ev)
{
	release_p(c, ev->p);
	rule_p(c, ev->p)->running = ev->type == V1_PROC_START;
	return true;
}

static bool force_region(struct check *c, const struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (ev->args[1] != 1 || !ev->g)
		return false;
	rule_region_pop(c, g);
	return true;
}

bool rule_repair(struct check *c, const struct v1_event *ev)
{
	switch (ev->type) {
	case V1_PROC_START:
	case V1_PROC_STOP:
		return force_proc(c, ev);
	case V1_GO_START:
	case V1_GO_START_LABEL:
		return force_start(c, ev);
	case V1_GO_UNBLOCK:
	case V1_GO_SYSEXIT:
		return v1_repair_force(c, ev->args[0], CHECK_RUNNABLE, ev->type);
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		return v1_repair_force(c, ev->g, CHECK_WAITING, ev->type);
	case V1_GO_CREATE:
		if (rule_g(c, ev->args[0])->exists || !ev->args[0])
			return false;
		return v1_repair_force(c, ev->args[0], CHECK_RUNNABLE, ev->type);
	case V1_REGION:
		return force_region(c, ev);
	case V1_GC_START:
	case V1_STW_START:
	case V1_SWEEP_START:
	case V1_ASSIST_START:
		return true;	/* the open range ends there */
	default:
		return false;
	}
}

void rule_repair_begin(struct check *c, const struct v1_event *ev)
{
	if (ev->fresh && ev->p >= 0)
		release_p(c, ev->p);
}
