// SPDX-License-Identifier: Apache-2.0
/* sink_front: see sink_front.h. */
#include "trace/sink_front.h"

void sink_front_gen_begin(void *front)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->gen_begin(to->ctx);
}

int sink_front_gen_end(void *front, const struct trace_clock *clock, struct error *err)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	return to->ops ? to->ops->gen_end(to->ctx, clock, err) : 0;
}

size_t sink_front_gen_size(const void *front)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	return to->ops ? to->ops->gen_size(to->ctx) : 0;
}

void sink_front_thread(void *front, uint64_t thread)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->thread(to->ctx, thread);
}

void sink_front_thread_done(void *front, uint64_t thread)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->thread_done(to->ctx, thread);
}

void sink_front_event(void *front, const struct sink_event *e)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->event(to->ctx, e);
}

void sink_front_cpu_sample(void *front, const struct sink_sample *sample)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->cpu_sample(to->ctx, sample);
}

void sink_front_experiment(void *front, uint8_t exp, uint64_t time, const void *body, size_t n)
{
	const struct sink *to = &((const struct sink_front *)front)->to;

	if (to->ops)
		to->ops->experiment(to->ctx, exp, time, body, n);
}
