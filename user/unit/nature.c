// SPDX-License-Identifier: Apache-2.0
/* nature: see nature.h. */
#include "unit/nature.h"

#include <string.h>

#include "base/units.h"

enum nature_where { NATURE_ROOT, NATURE_PLACE };

static const struct {
	enum nature_where where;
	const char *function, *words;
} nature_rows[] = {
#define NATURE(where, function, words) { NATURE_##where, function, words },
#include "unit/nature.def"
#undef NATURE
};

static bool nature_is(const char *function, const char *want)
{
	size_t n = strlen(want);

	if (n && want[n - 1] == '*')
		return !strncmp(function, want, n - 1);
	return !strcmp(function, want);
}

/* cgo makes the function main._Cfunc_f, in the file _cgo_gotypes.go, for a call of C.f. */
static bool nature_is_c(const struct stack_frame *f)
{
	return f && (strstr(f->func, "._Cfunc_") || strstr(f->file, "_cgo_gotypes.go"));
}

static bool nature_fits(const struct nature *n, size_t row)
{
	const char *want = nature_rows[row].function;

	if (nature_rows[row].where == NATURE_ROOT)
		return nature_is(n->leaf->name, want);
	return (n->at && nature_is(n->at->func, want)) || (n->op && nature_is(n->op->func, want));
}

/*
 * A pause: a sleep, or a select that a timer ends. A receive may be that of a ticker, which sets
 * the pace of a loop that has nothing to try.
 */
static bool nature_is_pause(const struct cause *c)
{
	if (c->kind != STEP_WAITING)
		return false;
	return !strcmp(c->reason, "sleep") ||
	       ((c->by == BY_TIMER || c->by == BY_RUNTIME) && !strcmp(c->reason, "select"));
}

/*
 * An instance that pauses again and again at one place looks or tries again after each pause. Once
 * or less is a pause as any other, of which the reason says enough if it is a sleep.
 */
static void nature_put_pause(struct buf *text, const struct nature *n)
{
	static const double again = 1.5;

	if (n->times >= again)
		buf_printf(text, ", %.1f times each: pauses between attempts (back-off, polling)",
			   n->times);
	else if (strcmp(n->leaf->reason, "sleep"))
		buf_printf(text, ", until a timer fires");
}

/* A goroutine that is runnable does no work of any kind. */
static bool nature_has(const struct cause *c)
{
	return c->kind <= STEP_STOPS || c->kind == STEP_WAITING || c->kind == STEP_SYSCALL ||
	       c->kind == STEP_SYSCALL_BARE;
}

void nature_put(struct buf *text, const struct nature *n)
{
	size_t i;

	if (!nature_has(n->leaf))
		return;
	for (i = 0; i < sizeof(nature_rows) / sizeof(*nature_rows); i++) {
		if (!nature_fits(n, i))
			continue;
		buf_printf(text, ", %s", nature_rows[i].words);
		return;
	}
	if (nature_is_c(n->at) || nature_is_c(n->op))
		buf_printf(text, ", in C code (cgo)");
	else if (nature_is_pause(n->leaf))
		nature_put_pause(text, n);
}

void nature_put_full(struct buf *text, const struct path *path)
{
	static const double full = 0.9;
	double busy = path->procs ? (double)path->held / (double)path->procs : 0;

	if (busy >= full)
		buf_printf(text, "; the Ps are busy for %s of it: the CPUs are full",
			   unit_share(busy, 1).text);
}
