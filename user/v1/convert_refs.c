// SPDX-License-Identifier: Apache-2.0
/*
 * convert_refs: look-ups of the things in the written trace to which an event refers: its P, its
 * thread, the ids of its stack and strings. See convert_internal.h.
 */
#include "v1/convert_internal.h"
#include "v1/internal.h"

struct sim_p *convert_p(struct convert *c, const struct v1_event *ev)
{
	return ev->p < 0 ? NULL : sim_p(&c->sim, (uint64_t)ev->p);
}

struct sim_m *convert_user(struct convert *c, const struct v1_event *ev)
{
	return ev->g ? sim_g_thread(sim_g(&c->sim, ev->g)) : NULL;
}

uint64_t convert_stack(struct convert *c, uint64_t stack)
{
	struct v1_frame frame;

	if (!stack || !v1_trace_stack(c->t, stack, &frame, 1))
		return 0;
	return tracefile_stack(c->sim.tf, stack);
}

uint64_t convert_string(struct convert *c, uint64_t id)
{
	const char *text = v1_trace_string(c->t, id);

	return convert_text(c, text, strset_len(text));
}

uint64_t convert_text(struct convert *c, const char *text, size_t len)
{
	c->sim.counts.cut_texts += len > TRACEV2_MAX_STRING;
	return tracefile_bytes(c->sim.tf, text, len);
}
