/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split: the names in reports of the parts of the time for which Go has a goroutine on a thread.
 * The parts are the states of the thread in Linux (user/oncpu); THREAD_QUEUED is divided by the
 * reason why the thread waits for a CPU.
 */
#ifndef GOTAP_REPORT_SPLIT_H
#define GOTAP_REPORT_SPLIT_H

#include "oncpu/oncpu.h"

enum split {
	SPLIT_ON_CPU,
	SPLIT_PREEMPTED,	/* another task has the CPU */
	SPLIT_QUEUED,		/* waits for a CPU, after a wake-up, its creation or a yield */
	SPLIT_THROTTLED,
	SPLIT_FAULT,
	SPLIT_IO,
	SPLIT_BLOCKED,
	SPLIT_SLEEPING,
	SPLIT_STOPPED,
	SPLIT_TRACED,
	SPLIT_FROZEN,
	SPLIT_UNKNOWN,
	SPLITS,
};

static inline enum split split_of_state(enum thread_state state)
{
	static const uint8_t of_state[THREAD_STATES] = {
		[THREAD_UNKNOWN] = SPLIT_UNKNOWN,
		[THREAD_RUNNING] = SPLIT_ON_CPU,
		[THREAD_QUEUED] = SPLIT_QUEUED,
		[THREAD_THROTTLED] = SPLIT_THROTTLED,
		[THREAD_SLEEPING] = SPLIT_SLEEPING,
		[THREAD_FAULT] = SPLIT_FAULT,
		[THREAD_IO] = SPLIT_IO,
		[THREAD_BLOCKED] = SPLIT_BLOCKED,
		[THREAD_STOPPED] = SPLIT_STOPPED,
		[THREAD_TRACED] = SPLIT_TRACED,
		[THREAD_FROZEN] = SPLIT_FROZEN,
	};

	return state < THREAD_STATES ? of_state[state] : SPLIT_UNKNOWN;
}

static inline enum split split_of(const struct oncpu_part *p)
{
	if (p->state == THREAD_QUEUED && p->queued == QUEUED_PREEMPTED)
		return SPLIT_PREEMPTED;
	return split_of_state(p->state);
}

/* Return the key in JSON, the name in sentences, and the title of a column. */
const char *split_key(enum split split);
const char *split_words(enum split split);
const char *split_title(enum split split);

#endif
