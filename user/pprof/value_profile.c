// SPDX-License-Identifier: Apache-2.0
/* value_profile: see value_profile.h. */
#include "pprof/value_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "pprof/profile.h"

struct value_profile {
	const struct value_profile_form *form;
	struct spans *spans;		/* used for its texts and stacks only */
	struct value_type values[VALUE_PROFILE_VALUES];
	struct profile profile;
	struct map64 sizes;		/* size of an object -> number of its tag */
	struct vec wide;		/* int64_t, nvalues for each item of the tally */
};

struct value_profile *value_profile_new(const struct value_profile_form *form, uint64_t period)
{
	struct value_profile *p = xcalloc(1, sizeof(*p));
	unsigned int i;

	p->form = form;
	p->spans = spans_new();
	for (i = 0; i < form->nvalues; i++)
		p->values[i] =
			(struct value_type){ form->values[i].type, form->values[i].unit, false };
	profile_init(&p->profile, p->spans, p->values, form->nvalues);
	p->profile.period = (struct period){ form->period.type, form->period.unit, period };
	p->profile.default_type = form->default_type;
	p->profile.wall_ns = (int64_t)wall_ns();
	return p;
}

void value_profile_free(struct value_profile *p)
{
	vec_free(&p->wide);
	map64_free(&p->sizes);
	profile_free(&p->profile);
	spans_free(p->spans);
	free(p);
}

void value_profile_set_duration(struct value_profile *p, int64_t ns)
{
	p->profile.duration_ns = ns;
}

uint32_t value_profile_frame(struct value_profile *p, const char *func, const char *file,
			     uint64_t line, uint64_t pc)
{
	struct stack_frame frame = { .func = spans_text(p->spans, func, strlen(func)),
				     .file = spans_text(p->spans, file, strlen(file)),
				     .pc = pc,
				     .line = line };

	return stack_set_frame(spans_stacks(p->spans), &frame);
}

/* The tag with the size; without it once there are too many. */
static uint32_t value_profile_tag(struct value_profile *p, uint64_t bytes)
{
	struct vec *tags = &p->profile.tags;
	uint64_t *number;
	bool is_new;

	if (!bytes || (tags->len >= PROFILE_TAGS && !map64_get(&p->sizes, bytes)))
		return 0;
	number = map64_put(&p->sizes, bytes, &is_new);
	if (is_new) {
		*number = tags->len;
		*(struct tag *)vec_push(tags, sizeof(struct tag)) =
			(struct tag){ .labels = "", .bytes = bytes };
	}
	return (uint32_t)*number;
}

void value_profile_add(struct value_profile *p, const uint32_t *frames, uint32_t n, uint64_t bytes,
		       const int64_t *values)
{
	uint32_t stack = stack_set_stack(spans_stacks(p->spans), frames, n);
	struct tally *tally = &p->profile.tally;
	struct tally_item *item =
		tally_at(tally, stack, value_profile_tag(p, bytes), PROFILE_SAMPLES);
	int64_t *wide;
	size_t at;
	unsigned int i;

	if (!item)
		item = tally_at(tally, profile_place(&p->profile, "(samples too many)"), 0,
				SIZE_MAX);
	at = (size_t)(item - vec_at(&tally->items, struct tally_item, 0)) * p->form->nvalues;
	while (p->wide.len < at + p->form->nvalues)
		vec_push(&p->wide, sizeof(int64_t));
	wide = vec_at(&p->wide, int64_t, at);
	for (i = 0; i < p->form->nvalues; i++)
		wide[i] = saturate_add(wide[i], values[i]);
}

void value_profile_comment(struct value_profile *p, const char *text)
{
	profile_comment(&p->profile, "%s", text);
}

int value_profile_write(struct value_profile *p, int fd, const char *name, struct error *err)
{
	uint64_t dropped = stack_set_dropped(spans_stacks(p->spans));
	struct raw_sink sink;

	if (dropped)
		profile_comment(&p->profile, "%" PRIu64 " stacks or frames found no room", dropped);
	p->profile.wide = p->wide.data;
	sink_open(&sink, fd, name);
	profile_write(&p->profile, &sink);
	return sink_close(&sink, err);
}
