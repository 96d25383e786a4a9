// SPDX-License-Identifier: Apache-2.0
/* count_profile: see count_profile.h. */
#include "pprof/count_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pprof/profile.h"

struct count_profile {
	struct spans *spans;		/* used for its texts and stacks only */
	struct value_type value;
	struct profile profile;
};

struct count_profile *count_profile_new(const char *type)
{
	struct count_profile *p = xcalloc(1, sizeof(*p));

	p->spans = spans_new();
	p->value = (struct value_type){ type, "count", false };
	profile_init(&p->profile, p->spans, &p->value, 1);
	p->profile.period = (struct period){ type, "count", 1 };
	p->profile.wall_ns = (int64_t)wall_ns();
	return p;
}

void count_profile_free(struct count_profile *p)
{
	profile_free(&p->profile);
	spans_free(p->spans);
	free(p);
}

static const char *count_profile_text(struct count_profile *p, const char *s)
{
	return spans_text(p->spans, s, strlen(s));
}

uint32_t count_profile_frame(struct count_profile *p, const char *func, const char *file,
			     uint64_t line, uint64_t pc)
{
	struct stack_frame frame = { .func = count_profile_text(p, func),
				     .file = count_profile_text(p, file),
				     .pc = pc,
				     .line = line };

	return stack_set_frame(spans_stacks(p->spans), &frame);
}

static void count_profile_add_row(struct count_profile *p, uint32_t stack, const char *labels,
				  uint64_t count)
{
	struct tag tag = { .labels = count_profile_text(p, labels) };

	profile_add(&p->profile, stack, profile_tag(&p->profile, &tag), count, 0);
}

void count_profile_add(struct count_profile *p, const uint32_t *frames, uint32_t n,
		       const char *labels, uint64_t count)
{
	count_profile_add_row(p, stack_set_stack(spans_stacks(p->spans), frames, n), labels, count);
}

void count_profile_add_place(struct count_profile *p, const char *name, const char *labels,
			     uint64_t count)
{
	count_profile_add_row(p, profile_place(&p->profile, name), labels, count);
}

void count_profile_comment(struct count_profile *p, const char *comment)
{
	profile_comment(&p->profile, "%s", comment);
}

static void say_missing(struct count_profile *p)
{
	uint64_t dropped = stack_set_dropped(spans_stacks(p->spans));

	if (dropped)
		profile_comment(&p->profile, "%" PRIu64 " stacks or frames found no room", dropped);
	if (p->profile.untagged)
		profile_comment(&p->profile, "%" PRIu64 " goroutines are without their labels",
				p->profile.untagged);
}

int count_profile_write(struct count_profile *p, int fd, struct error *err)
{
	struct raw_sink sink;

	say_missing(p);
	sink_open(&sink, fd, "standard output");
	profile_write(&p->profile, &sink);
	return sink_close(&sink, err);
}
