// SPDX-License-Identifier: Apache-2.0
/* wait_objects: see wait_objects.h. */
#include "tables/wait_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "read/wait_text.h"

void wait_objects_init(struct wait_objects *o)
{
	*o = (struct wait_objects){ .texts = strset_new(),
			       .recent = xcalloc(OBJECTS_RECENT, sizeof(*o->recent)) };
}

void wait_objects_free(struct wait_objects *o)
{
	strset_free(o->texts);
	free(o->recent);
	buf_free(&o->text);
}

/* Without the seed: it decides which objects share a place, and so how many count as dropped. */
static uint64_t object_hash(const struct trace_wait *wait)
{
	uint64_t hash = hash64(wait->of[0] ^ (uint64_t)wait->kind << 56);

	if (wait->kind == WAIT_NETWORK)
		hash = hash64(hash ^ wait->network.socket.remote_port);
	else if (wait->n > 1)
		hash = hash64(hash ^ wait->of[1]);
	return hash;
}

static const char *object_text_new(struct wait_objects *o, const struct trace_wait *wait)
{
	const char *text;

	o->text.len = 0;
	wait_text(&o->text, wait);
	text = strset_find(o->texts, (const char *)o->text.data, o->text.len);
	if (text)
		return text;
	if (strset_size(o->texts) >= OBJECTS_TEXTS) {
		o->dropped++;
		return wait_kind_name(wait->kind);
	}
	return strset_add(o->texts, (const char *)o->text.data, o->text.len);
}

const char *wait_objects_text(struct wait_objects *o, const struct trace_wait *wait)
{
	struct recent_object *recent = &o->recent[object_hash(wait) % OBJECTS_RECENT];

	if (!recent->text || memcmp(&recent->wait, wait, sizeof(*wait))) {
		recent->text = object_text_new(o, wait);
		recent->wait = *wait;
	}
	return recent->text;
}
