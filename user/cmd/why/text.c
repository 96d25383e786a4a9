// SPDX-License-Identifier: Apache-2.0
/* text: the answer of `gotap why` in words. See why.h. */
#include "cmd/why/why.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"

enum {
	ROOTS = 12, LEAVES = 6,	/* lines of sums */
	SAID = 3,		/* causes in the sentence */
	HOLDERS = 6, ROWS = 20, INDENT = 8, FRAMES = 64,
};

struct text {
	FILE *f;
	const struct why *w;
	const struct why_answer *a;
	const struct why_show *show;
	struct stack_set *stacks;
	struct buf line;
	const struct path *path;	/* whose causes are at hand */
	uint32_t root, depth;		/* of the step before */
	size_t rank;			/* of the slowest ones, from 0 on */
};

static void why_text_put(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void why_text_put(struct text *t, const char *fmt, ...)
{
	char part[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	buf_add(&t->line, part, strlen(part));
}

static void why_text_end_line(struct text *t)
{
	buf_add_byte(&t->line, 0);
	show_printf(t->f, "%s\n", (char *)t->line.data);
	t->line.len = 0;
}

static const struct cause *cause(const struct text *t, uint32_t number)
{
	return vec_at(&t->path->causes, struct cause, number);
}

static double why_text_share(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void put_instant(struct text *t, int64_t time)
{
	why_text_put(t, "%.6f s", (double)(time - t->a->begin) / 1e9);
}

/* --- the first lines --- */

static void put_thing(struct text *t)
{
	const struct why_question *q = &t->show->question;

	switch (q->of) {
	case WHY_PROGRAM:
		why_text_put(t, "the program (back from ");
		why_put_goroutine(&t->line, t->a->g, t->a->name);
		why_text_put(t, ")");
		return;
	case WHY_REGION:
		why_text_put(t, "region %.200s on ", q->name);
		break;
	case WHY_TASK:
		why_text_put(t, q->request ? "request " : "task ");
		if (q->name)
			why_text_put(t, "%.200s", q->name);
		if (!q->name || q->request)
			why_text_put(t, "%s%" PRIu64, q->name ? " " : "", t->a->task);
		why_text_put(t, ", ended by ");
		break;
	default:
		break;
	}
	why_put_goroutine(&t->line, t->a->g, t->a->name);
}

static void put_rank(struct text *t)
{
	const struct pick *p = t->a->pick;
	double percentile = t->show->question.percentile;

	if (!p || !t->show->question.name)
		return;
	if (t->show->question.slowest)
		why_text_put(t, "number %zu of the slowest", t->rank + 1);
	else if (percentile >= 100)
		why_text_put(t, "the slowest");
	else
		why_text_put(t, "at percentile %g", percentile);
	why_text_put(t, " of %" PRIu64 ": median %s, p99 %s, longest %s", p->list->n,
		     why_time(pick_at(p, 50).ns).text, why_time(pick_at(p, 99).ns).text,
		     why_time(p->list->longest.ns).text);
	if (p->list->stride > 1)
		why_text_put(t, " (percentiles of every %" PRIu64 "th)", p->list->stride);
	why_text_end_line(t);
}

/* Instances that the trace has only in part say less than they seem to. */
static void why_text_put_parts(struct text *t)
{
	const struct pick *p = t->a->pick;

	if (!p || !t->show->question.name || !p->part.n)
		return;
	if (p->is_part)
		why_text_put(t, "none of them has both its begin and its end in the trace");
	else
		why_text_put(t,
			     "not counted: %" PRIu64 " without their begin or end in the trace, "
			     "the longest for %s (%s%" PRIu64 ")",
			     p->part.n, why_time(p->part.longest.ns).text,
			     t->show->question.of == WHY_TASK ? "task " : "goroutine ",
			     p->part.longest.g);
	why_text_end_line(t);
}

/* --- the sentence --- */

/* The goroutine that ended the longest wait of a root. */
struct waker {
	struct step step;
	int64_t ns;
	bool found;
};

static struct waker find_waker(struct path *path, uint32_t root)
{
	struct waker best = {0}, at = {0};
	uint32_t i;

	for (i = 0; i < path->count; i++) {
		const struct step *step = store_at(path->steps, i);

		if (step->root != root || !step->depth)
			continue;
		if (step->depth == 1 && step->via == VIA_WOKE)
			at = (struct waker){ .step = *step, .found = true };
		at.ns += step->to - step->from;
		if (at.found && at.ns > best.ns)
			best = at;
	}
	return best;
}

/* In a chain: the wait that these steps explain. */
static void put_wait(struct text *t, const struct part *part)
{
	const struct cause *c = cause(t, part->wait);

	if (part->wait == part->root)
		return;
	why_text_put(t, ", for which %.200s was ", *c->name ? c->name : "?");
	why_put_cause(&t->line, t->stacks, c);
}

static void put_waker(struct text *t, uint32_t root, uint64_t all)
{
	struct waker waker = find_waker((struct path *)t->path, root);
	struct part *parts;
	size_t n, i;

	if (!waker.found)
		return;
	why_text_put(t, cause(t, root)->by == BY_HOLDER ? ": " : ", unblocked by ");
	why_put_goroutine(&t->line, waker.step.g, waker.step.name);
	parts = why_parts(t->path, root, &n);
	for (i = 0; i < n && i < 2 && parts[i].ns * 10 >= all; i++) {
		const struct cause *c = cause(t, parts[i].leaf);

		why_text_put(t, "%s %s ", i ? "," : "; meanwhile",
			     why_time((int64_t)parts[i].ns).text);
		if (c->name != waker.step.name && *c->name)
			why_text_put(t, "%.200s ", c->name);
		why_put_cause(&t->line, t->stacks, c);
		put_wait(t, &parts[i]);
	}
	free(parts);
}

static void put_busy(struct text *t)
{
	const struct path *p = t->path;
	const struct map64_slot *most = NULL;
	size_t i;

	for (i = 0; i < p->holders.made; i++)
		if (p->holders.slots[i].used && (!most || p->holders.slots[i].value > most->value))
			most = &p->holders.slots[i];
	if (most && p->procs)
		why_text_put(t, " (the Ps: %.0f %% with %.200s)",
			     why_text_share(most->value, p->procs),
			     *(const char *)(uintptr_t)most->key ?
				     (const char *)(uintptr_t)most->key :
				     "?");
}

/*
 * "... took 48.2 ms: 31.0 ms waiting for ..., held by ...; 12.1 ms runnable (...); 5.1 ms
 * running".
 */
static void put_sentence(struct text *t)
{
	uint64_t all = (uint64_t)(t->path->to - t->path->from), rest = all;
	struct part *roots;
	size_t n, i;

	put_thing(t);
	why_text_put(t, " took %s, from ", why_time((int64_t)all).text);
	put_instant(t, t->path->from);
	why_text_put(t, " to ");
	put_instant(t, t->path->to);
	why_text_put(t, " of the trace:");
	why_text_end_line(t);
	roots = why_roots(t->path, &n);
	for (i = 0; i < n && i < SAID && (!i || roots[i].ns * 50 >= all); i++) {
		why_text_put(t, "  %s ", why_time((int64_t)roots[i].ns).text);
		why_put_cause(&t->line, t->stacks, cause(t, roots[i].root));
		if (cause(t, roots[i].root)->kind == STEP_RUNNABLE)
			put_busy(t);
		put_waker(t, roots[i].root, roots[i].ns);
		rest -= roots[i].ns;
		why_text_end_line(t);
	}
	if (rest) {
		why_text_put(t, "  %s in other causes", why_time((int64_t)rest).text);
		why_text_end_line(t);
	}
	free(roots);
}

/* --- sums --- */

static void put_count(struct text *t, const struct part *part)
{
	if (part->count > 1)
		why_text_put(t, ", %" PRIu64 " steps, the longest %s", part->count,
			     why_time(part->longest).text);
	why_text_end_line(t);
}

static void put_leaves(struct text *t, uint32_t root, uint64_t all)
{
	struct part *parts;
	uint64_t rest = 0;
	size_t n, i;

	parts = why_parts(t->path, root, &n);
	for (i = LEAVES; i < n; i++)
		rest += parts[i].ns;
	for (i = 0; i < n && i < LEAVES; i++) {
		const struct cause *c = cause(t, parts[i].leaf);

		if (parts[i].leaf == root)
			continue;
		why_text_put(t, "    %10s %5.1f %%    %.200s ", why_time((int64_t)parts[i].ns).text,
		    why_text_share(parts[i].ns, all), *c->name ? c->name : "?");
		why_put_cause(&t->line, t->stacks, c);
		put_wait(t, &parts[i]);
		put_count(t, &parts[i]);
	}
	if (rest) {
		why_text_put(t, "    %10s %5.1f %%    %zu other causes",
			     why_time((int64_t)rest).text, why_text_share(rest, all), n - LEAVES);
		why_text_end_line(t);
	}
	free(parts);
}

static void why_text_put_sums(struct text *t)
{
	uint64_t all = (uint64_t)(t->path->to - t->path->from), rest = 0;
	struct part *roots;
	size_t n, i;

	roots = why_roots(t->path, &n);
	fputs("\nwhere the time was, and below it who was waited for meanwhile:\n", t->f);
	for (i = ROOTS; i < n; i++)
		rest += roots[i].ns;
	for (i = 0; i < n && i < ROOTS; i++) {
		why_text_put(t, "%10s %5.1f %%  ", why_time((int64_t)roots[i].ns).text,
			     why_text_share(roots[i].ns, all));
		why_put_cause(&t->line, t->stacks, cause(t, roots[i].root));
		why_text_end_line(t);
		put_leaves(t, roots[i].root, all);
	}
	if (rest) {
		why_text_put(t, "%10s %5.1f %%  %zu other causes", why_time((int64_t)rest).text,
			     why_text_share(rest, all), n - ROOTS);
		why_text_end_line(t);
	}
	free(roots);
}

/* --- who had the Ps --- */

static int why_text_most_first(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static struct holder *holders(const struct path *p, size_t *n)
{
	struct holder *list = xcalloc(p->holders.len + 1, sizeof(*list));
	size_t i;

	for (i = *n = 0; i < p->holders.made; i++)
		if (p->holders.slots[i].used)
			list[(*n)++] = (struct holder){
				.name = (const char *)(uintptr_t)p->holders.slots[i].key,
				.ns = p->holders.slots[i].value,
			};
	qsort(list, *n, sizeof(*list), why_text_most_first);
	return list;
}

/*
 * "; of that 40 % throttled by the CPU quota": Linux's states of the threads of those that had
 * the Ps.
 */
static void why_text_put_threads(struct text *t, const uint64_t ns[THREAD_STATES], uint64_t held)
{
	bool any = false;
	unsigned i;

	for (i = 0; i < THREAD_STATES; i++) {
		if (i == THREAD_RUNNING || ns[i] * 100 < held || !ns[i])
			continue;
		why_text_put(t, "%s %.0f %% %s", any ? "," : "; their threads",
			     why_text_share(ns[i], held), why_thread_words((uint8_t)(i + 1)));
		any = true;
	}
}

static void why_text_put_held(struct text *t)
{
	const struct path *p = t->path;
	struct holder *list;
	size_t n, i;

	if (!p->runnable || !p->procs)
		return;
	list = holders(p, &n);
	fputc('\n', t->f);
	why_text_put(t, "in the %s runnable on the path, the %.3g Ps had:",
		     why_time((int64_t)p->runnable).text, (double)p->procs / (double)p->runnable);
	for (i = 0; i < n && i < HOLDERS; i++)
		why_text_put(t, "%s %.1f %% %.200s", i ? "," : "",
			     why_text_share(list[i].ns, p->procs),
			     *list[i].name ? list[i].name : "?");
	if (p->held < p->procs)
		why_text_put(t, "%s %.1f %% no goroutine", n ? "," : "",
			     why_text_share(p->procs - p->held, p->procs));
	why_text_put_threads(t, p->threads, p->held);
	why_text_end_line(t);
	if (p->cut_holders) {
		why_text_put(t, "  (more Ps than are looked at: some are missing here)");
		why_text_end_line(t);
	}
	free(list);
}

/* --- assists --- */

enum { BECAUSE_SITES = 3, BECAUSE_FEW = 20 };

static void why_text_put_sites(struct text *t, const struct allocated_sum *sum)
{
	size_t i;

	for (i = 0; i < sum->sites.len && i < BECAUSE_SITES; i++) {
		const struct allocated_site *site =
			vec_at(&sum->sites, struct allocated_site, i);

		why_text_put(t, "%s", i ? ", " : ": ");
		if (site->frame)
			why_put_frame(&t->line, t->stacks, site->frame);
		else
			why_text_put(t, "?");
		why_text_put(t, " %.0f %%",
			     sum->bytes > 0 ? 100 * site->bytes / sum->bytes : 0);
	}
	why_text_put(t, " (%" PRIu64 " sample%s%s)", sum->samples, sum->samples == 1 ? "" : "s",
		     sum->samples < BECAUSE_FEW ? ", which is few" : "");
}

static void why_text_put_because(struct text *t)
{
	const struct why_because *b = &t->a->because;

	if (!b->assist || !b->all.samples)
		return;
	fputc('\n', t->f);
	why_text_put(t, "the %s of assist because of: ", why_time(b->assist).text);
	why_put_goroutine(&t->line, b->g, b->name);
	why_text_put(t, " has allocated ");
	if (b->own.samples) {
		why_text_put(t, "%s", unit_bytes((uint64_t)b->own.bytes).text);
		why_text_put_sites(t, &b->own);
	} else {
		why_text_put(t, "nothing that was sampled");
	}
	why_text_end_line(t);
	why_text_put(t, "  and all goroutines, since the collection before, at ");
	put_instant(t, b->since);
	why_text_put(t, ", %s", unit_bytes((uint64_t)b->all.bytes).text);
	why_text_put_sites(t, &b->all);
	why_text_end_line(t);
}

/* --- steps --- */

static void why_text_put_stack(struct text *t, uint32_t stack, const char *what)
{
	const uint32_t *frames;
	uint32_t n, i;

	if (!t->show->stacks || !stack)
		return;
	why_text_put(t, "%30s%s:", "", what);
	why_text_end_line(t);
	frames = stack_set_of(t->stacks, stack, &n);
	for (i = 0; i < n && i < FRAMES; i++) {
		const struct stack_frame *f = stack_set_frame_at(t->stacks, frames[i]);

		why_text_put(t, "%32s%.200s %.200s:%" PRIu64, "", *f->func ? f->func : "?",
			     f->file, f->line);
		why_text_end_line(t);
	}
}

static void why_text_put_head(struct text *t, int64_t time, int64_t ns, uint32_t depth)
{
	why_text_put(t, "%12.6f s %10s  %*s", (double)(time - t->a->begin) / 1e9,
		     ns < 0 ? "" : why_time(ns).text, (int)(depth < INDENT ? depth : INDENT) * 2,
		     "");
}

static void why_text_put_object(struct text *t, const struct trail_object *object)
{
	if (!object->kind)
		return;
	why_text_put(t, ", for ");
	why_put_object(&t->line, object);
}

/* The wait that the next steps explain. */
static void put_root(struct text *t, const struct why_line *line)
{
	const struct step *s = &line->step;
	bool inside = s->depth && line->steps == 1;

	if (inside && (t->root != s->root || s->depth > t->depth)) {
		const struct cause *c = cause(t, s->wait);

		why_text_put_head(t, line->from, -1, s->depth - 1);
		why_text_put(t, "%.200s: ", *c->name ? c->name : "?");
		why_put_cause(&t->line, t->stacks, c);
		why_text_put_object(t, &s->wait_object);
		why_text_put(t, "; meanwhile:");
		why_text_end_line(t);
		why_text_put_stack(t, s->wait_stack, "waits at");
	}
	t->root = s->root;
	t->depth = line->steps == 1 ? s->depth : 0;
}

static void put_held_by(struct text *t, const struct step *s)
{
	int i;

	for (i = 0; i < STEP_HOLDERS && s->holders[i].ns && s->procs; i++)
		why_text_put(t, "%s %.0f %% %.200s",
			     i ? "," : "; Ps:", why_text_share(s->holders[i].ns, s->procs),
			     *s->holders[i].name ? s->holders[i].name : "?");
	if (s->held < s->procs)
		why_text_put(t, "%s %.0f %% no goroutine",
			     i ? "," : "; Ps:", why_text_share(s->procs - s->held, s->procs));
	why_text_put_threads(t, s->threads, s->held);
}

static void put_via(struct text *t, const struct step *s)
{
	if (s->via == VIA_NONE)
		return;
	why_text_put(t, s->via == VIA_WOKE ? "; then woke " : "; then created ");
	why_text_put(t, "goroutine %" PRIu64, s->via_g);
}

static void why_text_put_step(struct text *t, const struct step *s)
{
	uint32_t number = path_cause((struct path *)t->path, s);

	why_text_put_head(t, s->from, s->to - s->from, s->depth);
	why_put_goroutine(&t->line, s->g, s->name);
	why_text_put(t, ": ");
	why_put_cause(&t->line, t->stacks, cause(t, number));
	why_text_put_object(t, &s->object);
	if (s->thread == THREAD_QUEUED + 1 && s->taker.comm)
		why_text_put(t, " [%.20s %" PRIu32 "]", s->taker.comm, s->taker.tid);
	if (s->p != UINT32_MAX && s->kind != STEP_WAITING)
		why_text_put(t, " on P %" PRIu32, s->p);
	put_held_by(t, s);
	put_via(t, s);
	why_text_end_line(t);
	why_text_put_stack(t, s->stack, s->kind == STEP_RUNNING ? "began at" : "at");
	if (s->kind == STEP_RUNNING && s->via == VIA_NONE)
		why_text_put_stack(t, s->end_stack, "came to");
	why_text_put_stack(t, s->via ? s->via_stack : 0,
			   s->via == VIA_WOKE ? "woke at" : "created at");
}

static void put_line(void *ctx, const struct why_line *line)
{
	struct text *t = ctx;
	const struct cause *c;

	put_root(t, line);
	if (line->steps == 1) {
		why_text_put_step(t, &line->step);
		return;
	}
	c = cause(t, line->mostly);
	why_text_put_head(t, line->from, line->to - line->from, 0);
	why_text_put(t, "%" PRIu32 " steps, mostly (%s) %.200s ", line->steps,
		     why_time((int64_t)line->mostly_ns).text, *c->name ? c->name : "?");
	why_put_cause(&t->line, t->stacks, c);
	why_text_end_line(t);
}

static void why_text_put_path(struct text *t)
{
	struct path *path = (struct path *)t->path;

	fprintf(t->f, "\nthe path, %" PRIu32 " step%s%s:\n", path->count,
		path->count == 1 ? "" : "s",
		t->show->full || path->count <= 40 ? "" : ", the longest of them (--full: all)");
	why_lines(path, t->show->full, put_line, t);
}

/* --- groups --- */

static void why_text_put_group(struct text *t, const char *name, const struct why_group *g)
{
	why_text_put(t, "%s: %" PRIu64 " from %s to %s, %s in the mean", name, g->n,
		     why_time(g->shortest).text, why_time(g->longest).text,
		     why_time(g->ns / (int64_t)g->looked).text);
	if (g->looked < g->n)
		why_text_put(t, " (%" PRIu64 " of them looked at%s)", g->looked,
		    g->cut ? ", the first ones: their paths are long" : ", evenly");
	why_text_end_line(t);
}

static void put_row(struct text *t, const struct why_row *row)
{
	why_text_put(t, "%10s %10s  ", why_time((int64_t)row->ns[1]).text,
		     why_time((int64_t)row->ns[0]).text);
	why_put_cause(&t->line, t->stacks, &row->root);
	if (!why_same_cause(&row->root, &row->leaf)) {
		why_text_put(t, "; meanwhile %.200s ", *row->leaf.name ? row->leaf.name : "?");
		why_put_cause(&t->line, t->stacks, &row->leaf);
	}
	if (!why_same_cause(&row->root, &row->wait)) {
		why_text_put(t, ", for which %.200s was ", *row->wait.name ? row->wait.name : "?");
		why_put_cause(&t->line, t->stacks, &row->wait);
	}
	why_text_end_line(t);
}

static void why_text_put_groups(struct text *t)
{
	const struct why_group *g = t->a->groups;
	struct why_row *rows;
	size_t n, i;

	why_text_put(t, "%.200s: %" PRIu64 " in all", t->show->question.name,
	    t->a->pick->list->n);
	why_text_end_line(t);
	why_text_put_parts(t);
	why_text_put(t, "  ");
	why_text_put_group(t, "slow ones", &g[1]);
	why_text_put(t, "  ");
	why_text_put_group(t, "those of the middle", &g[0]);
	fprintf(t->f, "\nper instance, what slow ones have more of first:\n%10s %10s\n", "slow",
		"middle");
	rows = why_compare(t->a, &n);
	for (i = 0; i < n && i < ROWS; i++)
		put_row(t, &rows[i]);
	if (n > ROWS) {
		why_text_put(t, "%21s  and %zu causes more (--json has them all)", "", n - ROWS);
		why_text_end_line(t);
	}
	free(rows);
}

/* The answer at hand. */
static void why_text_put_answer(FILE *f, const struct why *w, const struct why_show *show,
				size_t rank)
{
	struct text t = { .f = f, .w = w, .a = why_answer(w), .show = show,
			  .path = &why_answer(w)->path, .stacks = spans_stacks(why_spans(w)),
			  .root = UINT32_MAX, .rank = rank };

	if (rank)
		fputs("\n\n", f);
	if (show->question.all) {
		why_text_put_groups(&t);
	} else {
		put_sentence(&t);
		put_rank(&t);
		if (!rank)
			why_text_put_parts(&t);
		why_text_put_sums(&t);
		why_text_put_held(&t);
		why_text_put_because(&t);
		why_text_put_path(&t);
	}
	buf_free(&t.line);
}

void why_text(FILE *f, struct why *w, const struct why_show *show)
{
	struct next next;
	size_t i;

	for (i = 0; i < why_answers(w); i++) {
		why_turn(w, i);
		why_text_put_answer(f, w, show, i);
	}
	why_turn(w, 0);
	why_next(w, show, &next);
	next_print(&next, f);
}
