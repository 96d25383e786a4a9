// SPDX-License-Identifier: Apache-2.0
/* sink_thread: the threads of the sink, and which of them has which P. See sink_internal.h. */
#include "v1write/sink_internal.h"

#include <stdlib.h>

struct v1_m *sink_thread(struct v1_sink *v, uint64_t id)
{
	struct v1_m **recent = &v->recent[id % SINK_RECENT];
	uint64_t *slot;
	bool is_new;

	if (*recent && (*recent)->id == id)
		return *recent;
	slot = map64_put(&v->ms, id, &is_new);
	if (is_new) {
		struct v1_m *m = xcalloc(1, sizeof(*m));

		m->id = id;
		*slot = (uint64_t)(uintptr_t)m;
	}
	*recent = (struct v1_m *)(uintptr_t)*slot;
	return *recent;
}

struct v1_p *sink_place(struct v1_sink *v, const struct v1_m *m)
{
	return m->p ? m->p : v1_p(&v->s, V1_ANY_P);
}
