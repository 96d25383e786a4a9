// SPDX-License-Identifier: Apache-2.0
/* folded: a profile as lines for flame graph tools; see profile.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "pprof/profile.h"

struct folder {
	const struct profile *p;
	struct stack_set *stacks;
	struct map64 names;	/* shown name, a char *, by the address of the text */
	struct tally tally;	/* by stack of functions; tag: number of its ending (ending_of()) */
	struct vec frames;	/* uint32_t: frames of the stack that is being made */
};

/*
 * Returns a copy without ';' and line ends, which the tools take for separators. Spaces may remain:
 * the tools split the count off at the last space.
 */
static char *show_name(const char *text)
{
	char *shown = show_dup(*text ? text : "(no name)"), *at;

	for (at = shown; (at = strchr(at, ';')); )
		*at = ':';
	return shown;
}

static const char *folded_name_of(struct folder *f, const char *text)
{
	bool is_new;
	uint64_t *name = map64_put(&f->names, (uintptr_t)text, &is_new);

	if (is_new)
		*name = (uintptr_t)show_name(text);
	return (const char *)(uintptr_t)*name;
}

/* Returns the stack without lines and addresses, so that a path of functions has one line. */
static uint32_t by_functions(struct folder *f, uint32_t stack)
{
	struct stack_frame frame = { .file = "" };
	uint32_t n, i, number;

	stack_set_of(f->stacks, stack, &n);
	f->frames.len = 0;
	for (i = 0; i < n; i++) {
		frame.func = stack_set_at(f->stacks, stack, i)->func;
		number = stack_set_frame(f->stacks, &frame);
		if (!number)
			return stack;
		*(uint32_t *)vec_push(&f->frames, sizeof(number)) = number;
	}
	number = stack_set_stack(f->stacks, f->frames.data, n);
	return number ? number : stack;
}

/*
 * Returns the number of the first tag with the same state and reason. Tags that differ only in
 * their labels therefore have the same ending.
 */
static uint32_t ending_of(const struct profile *p, struct map64 *endings, uint32_t number)
{
	const struct tag *tag = vec_at(&p->tags, struct tag, number);
	bool is_new;
	const uint64_t *state = map64_get(&p->texts, (uintptr_t)tag->state);
	const uint64_t *reason = map64_get(&p->texts, (uintptr_t)tag->reason);
	uint64_t *found =
		map64_put(endings, (state ? *state : 0) << 32 | (reason ? *reason : 0), &is_new);

	if (is_new)
		*found = number;
	return (uint32_t)*found;
}

static void folded_add_all(struct folder *f)
{
	bool ns = f->p->values[f->p->nvalues - 1].ns;
	struct map64 endings = {0};
	size_t i;

	for (i = 0; i < f->p->tally.items.len; i++) {
		const struct tally_item *item = vec_at(&f->p->tally.items, struct tally_item, i);
		uint32_t ending = ending_of(f->p, &endings, item->tag);

		tally_at(&f->tally, by_functions(f, item->stack), ending, SIZE_MAX)->count +=
			ns ? item->ns : item->count;
	}
	map64_free(&endings);
}

static void folded_put_functions(struct folder *f, struct buf *out, uint32_t stack)
{
	uint32_t n, i;
	const char *name;

	stack_set_of(f->stacks, stack, &n);
	for (i = n; i--; ) {
		name = folded_name_of(f, stack_set_at(f->stacks, stack, i)->func);
		buf_add(out, name, strlen(name));
		if (i)
			buf_add_byte(out, ';');
	}
	if (!n)
		buf_printf(out, "(no stack)");
}

static void folded_put_line(struct folder *f, struct buf *out, const struct tally_item *item)
{
	const struct tag *tag = vec_at(&f->p->tags, struct tag, item->tag);

	if (!item->count)
		return;
	folded_put_functions(f, out, item->stack);
	if (tag->state)
		buf_printf(out, ";[%s]", tag->state);
	if (tag->reason && *tag->reason)
		buf_printf(out, ";[%s]", folded_name_of(f, tag->reason));
	buf_printf(out, " %" PRIu64 "\n", item->count);
}

static void free_folder(struct folder *f)
{
	size_t i;

	for (i = 0; i < f->names.made; i++)
		free((char *)(uintptr_t)f->names.slots[i].value);
	map64_free(&f->names);
	tally_free(&f->tally);
	vec_free(&f->frames);
}

void profile_write_folded(struct profile *p, struct raw_sink *sink)
{
	struct folder f = { .p = p, .stacks = spans_stacks(p->spans) };
	size_t i;

	folded_add_all(&f);
	for (i = 0; i < f.tally.items.len; i++) {
		folded_put_line(&f, &sink->buf, vec_at(&f.tally.items, struct tally_item, i));
		sink_settle(sink);
	}
	free_folder(&f);
}
