/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink_front: a sink that looks at the calls and hands each of them on to another sink, or to none. It is the first member of
 * such a sink's context; the functions are the operations of struct sink_ops that only hand on. An operation that does more
 * calls the one of the same name here.
 */
#ifndef GOTAP_TRACE_SINK_FRONT_H
#define GOTAP_TRACE_SINK_FRONT_H

#include "trace/sink.h"

struct sink_front {
	struct sink to;		/* ops NULL: there is none; a generation then has 0 bytes */
};

/* Each passes its call on to front->to. */
void sink_front_gen_begin(void *front);
int sink_front_gen_end(void *front, const struct trace_clock *clock, struct error *err);
size_t sink_front_gen_size(const void *front);
void sink_front_thread(void *front, uint64_t thread);
void sink_front_thread_done(void *front, uint64_t thread);
void sink_front_event(void *front, const struct sink_event *e);
void sink_front_cpu_sample(void *front, const struct sink_sample *sample);
void sink_front_experiment(void *front, uint8_t exp, uint64_t time, const void *body, size_t n);

#endif
