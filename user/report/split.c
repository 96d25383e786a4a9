/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split: see split.h. All names, except those of SPLIT_PREEMPTED, are those of threads/states.def.
 */
#include "report/split.h"

/* Returns the state that equals @split; THREAD_STATES: @split is only a portion of a state. */
static enum thread_state split_state(enum split split)
{
	enum thread_state state;

	for (state = 0; state < THREAD_STATES; state++)
		if (split_of_state(state) == split)
			break;
	return state;
}

const char *split_key(enum split split)
{
	return split == SPLIT_PREEMPTED ? "preempted" : thread_state_name(split_state(split));
}

const char *split_words(enum split split)
{
	return split == SPLIT_PREEMPTED ? "preempted" : thread_state_words(split_state(split));
}

const char *split_title(enum split split)
{
	return split == SPLIT_PREEMPTED ? "preempted" : thread_state_title(split_state(split));
}
