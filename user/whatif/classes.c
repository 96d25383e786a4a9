// SPDX-License-Identifier: Apache-2.0
/* classes: see classes.h. */
#include "whatif/classes.h"

#include <string.h>

#include "release/release.h"
#include "why/place.h"

enum { SAMPLED_MOST = 1 << 17 };

void classes_init(struct classes *c, struct stack_set *stacks)
{
	*c = (struct classes){ .stacks = stacks };
	vec_push(&c->list, sizeof(struct class));
	vec_push(&c->sampled, sizeof(struct class_sampled));
}

void classes_free(struct classes *c)
{
	vec_free(&c->list);
	vec_free(&c->sampled);
	map64_free(&c->by_stacks);
	map64_free(&c->by_place);
	map64_free(&c->by_names);
	map64_free(&c->samples);
}

/* --- the functions between two stacks --- */

static const struct stack_frame *classes_frame(const struct classes *c, const uint32_t *frames,
					       uint32_t n, uint32_t up)
{
	return stack_set_frame_at(c->stacks, frames[n - 1 - up]);
}

/* Adds the function of a frame of the program; a function counts once. */
static void class_name(struct class *k, const struct stack_frame *f)
{
	uint8_t i;

	if (!*f->func || release_is_std(f->func) || k->nnames == CLASS_NAMES)
		return;
	for (i = 0; i < k->nnames; i++)
		if (k->names[i] == f->func)
			return;
	if (!k->nnames) {
		k->file = f->file;
		k->line = f->line;
	}
	k->names[k->nnames++] = f->func;
}

/* Returns how many of the outermost frames two stacks share. */
static uint32_t classes_shared(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < na && i < nb && a[na - 1 - i] == b[nb - 1 - i]; i++)
		;
	return i;
}

/*
 * The functions that ran for all of the time: the common frame, and those that called it. The
 * stacks part in the common frame if both are in one function there, at two lines; otherwise it is
 * the last one that they share.
 */
static void class_common(const struct classes *c, struct class *k, const uint32_t *a, uint32_t na,
			 const uint32_t *b, uint32_t nb, uint32_t shared)
{
	uint32_t i = shared;

	if (i < na && i < nb &&
	    classes_frame(c, a, na, i)->func == classes_frame(c, b, nb, i)->func)
		i++;
	while (i)
		class_name(k, classes_frame(c, b, nb, --i));
	k->nsure = k->nnames;
}

/* A stack can lack its outer frames, as one of a preemption can: its root is known all the same. */
static void class_root(struct class *k, const char *root)
{
	if (*root)
		k->names[k->nnames++] = root;
	k->nsure = k->nnames;
}

static void class_between(const struct classes *c, struct class *k, const char *root,
			  uint32_t from, uint32_t to)
{
	uint32_t na, nb, shared, i;
	const uint32_t *a = stack_set_of(c->stacks, from, &na);
	const uint32_t *b = stack_set_of(c->stacks, to, &nb);

	if (!na || !nb) {
		a = na ? a : b;
		na = na ? na : nb;
		class_root(k, root);
		for (i = na; i--; )
			class_name(k, classes_frame(c, a, na, i));
		return;
	}
	shared = classes_shared(a, na, b, nb);
	class_common(c, k, a, na, b, nb, shared);
	if (!k->nsure)
		class_root(k, root);
	for (i = shared; i < na; i++)
		class_name(k, classes_frame(c, a, na, i));
	for (i = shared; i < nb; i++)
		class_name(k, classes_frame(c, b, nb, i));
}

/* --- numbers --- */

static uint64_t class_key(const struct class *k)
{
	uint64_t key = hash64_seeded(k->kind + 1);
	uint8_t i;

	for (i = 0; i < k->nnames; i++)
		key = hash64_seeded(key ^ (uintptr_t)k->names[i]);
	return hash64_seeded(key ^ k->line ^ (uint64_t)k->nsure << 32);
}

static uint32_t classes_number(struct classes *c, const struct class *k)
{
	uint64_t *found = map64_get(&c->by_names, class_key(k));

	if (found)
		return (uint32_t)*found;
	if (!k->nnames || c->list.len >= CLASSES_MOST)
		return 0;
	*map64_put(&c->by_names, class_key(k), NULL) = c->list.len;
	*(struct class *)vec_push(&c->list, sizeof(*k)) = *k;
	return (uint32_t)c->list.len - 1;
}

static uint32_t classes_of(struct classes *c, enum class_kind kind, const char *root,
			   uint32_t from, uint32_t to)
{
	uint64_t key = hash64_seeded(hash64_seeded((uint64_t)from << 32 | to) ^ kind) ^
		       (uintptr_t)root;
	uint64_t *found = map64_get(&c->by_stacks, key);
	struct class k = { .kind = (uint8_t)kind };
	uint32_t number;

	if (found)
		return (uint32_t)*found;
	class_between(c, &k, root, from, to);
	number = classes_number(c, &k);
	if (c->by_stacks.len < CLASSES_MOST * 8)
		*map64_put(&c->by_stacks, key, NULL) = number;
	return number;
}

void classes_count(struct classes *c, uint32_t class, int64_t ns)
{
	class_at(c, class)->ns += ns;
	class_at(c, class)->n += ns < 0 ? (uint64_t)-1 : 1;
	c->crowded += !class;
}

uint32_t classes_run(struct classes *c, bool assist, const char *root, uint32_t from, uint32_t to,
		     int64_t ns)
{
	uint32_t class = classes_of(c, assist ? CLASS_ASSIST : CLASS_RUN, root, from, to);

	classes_count(c, class, ns);
	return class;
}

static uint32_t classes_look(struct classes *c, enum class_kind kind, uint32_t stack)
{
	const struct stack_frame *at = place_frame(c->stacks, stack);
	struct class k = { .kind = (uint8_t)kind };
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(c->stacks, stack, &n);

	if (!at || !*at->func)
		return 0;
	/* a library's frame is better than none: it can be asked for by its name */
	k.names[k.nnames++] = at->func;
	k.file = at->file;
	k.line = at->line;
	for (i = 0; i < n; i++)
		class_name(&k, stack_set_frame_at(c->stacks, frames[i]));
	k.nsure = k.nnames;
	return classes_number(c, &k);
}

uint32_t classes_at(struct classes *c, enum class_kind kind, uint32_t stack)
{
	uint64_t key = hash64_seeded((uint64_t)kind << 32 | stack), *found;
	uint32_t number;

	found = map64_get(&c->by_place, key);
	if (found)
		return (uint32_t)*found;
	number = classes_look(c, kind, stack);
	if (c->by_place.len < CLASSES_MOST * 8)
		*map64_put(&c->by_place, key, NULL) = number;
	return number;
}

/* --- samples --- */

void classes_sample(struct classes *c, uint32_t class, uint32_t stack)
{
	uint32_t n, i, k;
	const uint32_t *frames = stack_set_of(c->stacks, stack, &n);

	class_at(c, class)->samples++;
	for (i = 0; i < n; i++) {
		const char *f = stack_set_frame_at(c->stacks, frames[i])->func;
		struct class_sampled *s;
		uint64_t *at;
		bool is_new;

		for (k = 0; k < i && stack_set_frame_at(c->stacks, frames[k])->func != f; k++)
			;
		if (k < i || c->sampled.len >= SAMPLED_MOST)
			continue;
		at = map64_put(&c->samples, hash64_seeded((uintptr_t)f) ^ class, &is_new);
		if (is_new) {
			*at = c->sampled.len;
			s = vec_push(&c->sampled, sizeof(*s));
			s->class = class;
			s->function = f;
		}
		vec_at(&c->sampled, struct class_sampled, *at)->n++;
	}
}

double classes_share(const struct classes *c, uint32_t class, const char *function, bool *sure)
{
	const struct class *k = class_at(c, class);
	const uint64_t *at;
	uint8_t i;

	*sure = true;
	if (k->kind == CLASS_RUN && k->samples >= CLASS_SAMPLES_LEAST) {
		at = map64_get(&c->samples, hash64_seeded((uintptr_t)function) ^ class);
		return at ? (double)vec_at(&c->sampled, struct class_sampled, *at)->n /
			    (double)k->samples : 0;
	}
	for (i = 0; i < k->nnames; i++) {
		*sure = i < k->nsure;
		if (k->names[i] == function)
			return 1;
	}
	*sure = true;
	return 0;
}
