/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_objects: the texts of objects that goroutines wait for (read/wait_text.h), each once. The
 * same object is waited for again and again, so recent ones are found without making their text.
 */
#ifndef GOTAP_TABLES_WAIT_OBJECTS_H
#define GOTAP_TABLES_WAIT_OBJECTS_H

#include "base/strset.h"
#include "base/vec.h"
#include "trace/wait.h"

/* Limit on the bytes of all texts: a server has a new one for each connection. */
enum { OBJECTS_TEXTS = 32 << 20, OBJECTS_RECENT = 1024 };

struct recent_object {
	struct trace_wait wait;
	const char *text;	/* NULL: none yet */
};

struct wait_objects {
	struct strset *texts;
	struct recent_object *recent;
	struct buf text;
	uint64_t dropped;	/* texts that found no room */
};

void wait_objects_init(struct wait_objects *o);
void wait_objects_free(struct wait_objects *o);
/*
 * Returns the text of @wait, which lives until wait_objects_free(). If there is no room for another
 * text it is the kind of object alone.
 */
const char *wait_objects_text(struct wait_objects *o, const struct trace_wait *wait);

#endif
