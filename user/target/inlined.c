// SPDX-License-Identifier: Apache-2.0
/* inlined: see inlined.h. */
#include "target/inlined.h"

#include <string.h>

#include "symbol/pclntab.h"

/* Inlined calls that are visited: a hostile file can give one tree to all functions. */
enum { VISITS_MOST = 5000000 };

struct search {
	const char *const *names;
	size_t n;
	struct gobin_func host;
	struct vec *ret;
	size_t first;		/* index of this host's first entry in @ret */
	size_t left;		/* calls that may still be visited */
};

static bool inlined_is_known(const struct search *s, const char *name)
{
	size_t i;

	for (i = s->first; i < s->ret->len; i++)
		if (vec_at(s->ret, struct inlined, i)->name == name)
			return true;
	return false;
}

static bool inlined_take_name(void *ctx, const char *name, int32_t call)
{
	struct search *s = ctx;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (strcmp(s->names[i], name) || inlined_is_known(s, s->names[i]))
			continue;
		*(struct inlined *)vec_push(s->ret, sizeof(struct inlined)) =
			(struct inlined){ s->names[i], s->host };
	}
	return --s->left > 0;
}

/* Searches the functions of the table from @i to before @end. */
static void inlined_search(struct search *s, const struct pclntab *t, size_t i, size_t end)
{
	for (; i < end && s->left; i++) {
		struct pclntab_func f;

		if (!pclntab_func(t, i, &f))
			continue;
		s->host = (struct gobin_func){ f.name, f.entry, f.end - f.entry };
		s->first = s->ret->len;
		pclntab_each_inlined(t, &f, inlined_take_name, s);
	}
}

void inlined_find(const struct gobin *b, const char *const *names, size_t n, struct vec *ret)
{
	struct search s = { .names = names, .n = n, .ret = ret, .left = VISITS_MOST };
	size_t first, end;

	if (!gobin_table(b))
		return;
	gobin_runtime_functions(b, &first, &end);
	inlined_search(&s, gobin_table(b), first, end);
}

void inlined_find_outside(const struct gobin *b, const char *const *names, size_t n,
			  struct vec *ret)
{
	struct search s = { .names = names, .n = n, .ret = ret, .left = VISITS_MOST };
	const struct pclntab *t = gobin_table(b);
	size_t first, end;

	if (!t)
		return;
	gobin_runtime_functions(b, &first, &end);
	inlined_search(&s, t, 0, first);
	inlined_search(&s, t, end, pclntab_funcs(t));
}

struct callers {
	const struct gobin *b;
	const struct pclntab_func *host;
	const char *name;
	struct vec *ret;	/* const char * */
	int left;		/* bounds hostile files */
};

static void add_caller(struct vec *ret, const char *name)
{
	size_t i;

	for (i = 0; i < ret->len; i++)
		if (!strcmp(*vec_at(ret, const char *, i), name))
			return;
	*(const char **)vec_push(ret, sizeof(name)) = name;
}

static bool take_call(void *ctx, const char *name, int32_t call)
{
	struct callers *c = ctx;

	if (strcmp(name, c->name))
		return true;
	add_caller(c->ret, pclntab_inlined_caller(gobin_table(c->b), c->host, call));
	return --c->left > 0;
}

void inlined_callers(const struct gobin *b, const struct inlined *at, struct vec *ret)
{
	enum { MANY = 256 };
	struct pclntab_func host;
	struct callers c = { b, &host, at->name, ret, MANY };

	if (pclntab_func_at(gobin_table(b), at->host.addr, &host))
		pclntab_each_inlined(gobin_table(b), &host, take_call, &c);
}

bool inlined_is_caller(const struct gobin *b, const struct callsite *c, const char *function)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t n;

	if (!gobin_table(b))
		return !strcmp(c->func.name, function);
	n = pclntab_expand(gobin_table(b), c->return_addr - 1, frames);
	return n && !strcmp(frames[0].func, function);
}
