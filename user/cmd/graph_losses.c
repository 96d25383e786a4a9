// SPDX-License-Identifier: Apache-2.0
/* graph_losses: see graph_losses.h. */
#include "cmd/graph_losses.h"

#include <inttypes.h>
#include <stdio.h>

void graph_losses_say(const struct graph_counts *c)
{
	if (c->spans_unreadable || c->spans_refused || c->unreadable_bytes ||
	    c->goroutines_unreadable || c->threads_unreadable)
		fprintf(stderr,
			"gotap: the heap is not whole: %" PRIu64 " spans, %" PRIu64 " goroutines "
			"and %" PRIu64 " threads could not be read, %" PRIu64 " spans were "
			"refused, %" PRIu64 " bytes are missing. What only these hold counts as "
			"not reachable\n",
			c->spans_unreadable, c->goroutines_unreadable, c->threads_unreadable,
			c->spans_refused, c->unreadable_bytes);
	if (c->registers_unknown)
		fprintf(stderr,
			"gotap: %" PRIu64 " goroutines ran when the process was stopped, and only "
			"a core file (gcore) has their registers: what only a register points to "
			"counts as not reachable\n", c->registers_unknown);
	if (c->due_unknown)
		fprintf(stderr,
			"gotap: finalizers and cleanups that are due are not known, as in a "
			"program without symbols: what only they hold counts as not reachable\n");
}

void graph_losses_put(struct json_out *j, const struct graph_counts *c)
{
	json_put_count(j, "spans_unreadable", c->spans_unreadable);
	json_put_count(j, "spans_refused", c->spans_refused);
	json_put_count(j, "bytes_unreadable", c->unreadable_bytes);
	json_put_count(j, "goroutines_unreadable", c->goroutines_unreadable);
	json_put_count(j, "threads_unreadable", c->threads_unreadable);
	json_put_count(j, "due_unknown", c->due_unknown);
	json_put_count(j, "registers_unknown", c->registers_unknown);
	json_put_bool(j, "globals_each_word", c->globals_each_word);
}
