// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_why: any bytes as a trace, and `gotap why` asked for the program, a goroutine, a function, a region and a task of
 * it. The steps of each path must follow one another from the begin of the interval to its end, and add up to
 * its length. All answers are printed, as text and as JSON.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/why/why.h"

/* Names and ids that the trace has. */
struct names {
	char func[256], region[256], task[256];
	uint64_t g, task_id;
};

static FILE *nowhere;

static void on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct names *n = ctx;

	n->g = g->id;
	if (*g->name)
		snprintf(n->func, sizeof(n->func), "%s", g->name);
}

static void on_region(void *ctx, const struct region_span *r)
{
	snprintf(((struct names *)ctx)->region, 256, "%s", r->type);
}

static void on_task(void *ctx, const struct task_span *t)
{
	struct names *n = ctx;

	n->task_id = t->id;
	snprintf(n->task, sizeof(n->task), "%s", t->type);
}

static bool find_names(const uint8_t *data, size_t size, struct names *n)
{
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);
	struct spans *s;

	if (!r)
		return false;
	s = spans_new();
	spans_visit(s, &(struct spans_visitor){ .ctx = n, .goroutine_end = on_goroutine_end,
						.region = on_region, .task = on_task });
	(void)spans_read(s, r, &err);
	spans_free(s);
	trace_reader_close(r);
	return true;
}

static void look_at(const struct path *p)
{
	uint64_t sum = 0;
	int64_t until = p->to;
	uint32_t i;

	for (i = 0; i < p->parts.len; i++)
		sum += vec_at(&p->parts, struct part, i)->ns;
	must(sum == (uint64_t)(p->to - p->from), "the sums are the interval");
	for (i = 0; i < p->count; i++) {
		const struct step *step = store_at(p->steps, i);

		must(step->to == until && step->from < step->to, "steps follow one another");
		must(step->root && step->root < p->causes.len && step->wait < p->causes.len, "steps have causes");
		until = step->from;
	}
	must(until == p->from, "steps begin with the interval");
}

static void look_at_group(const struct why_group *g)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < g->path.parts.len; i++)
		sum += vec_at(&g->path.parts, struct part, i)->ns;
	must(sum == (uint64_t)g->ns, "the sums of a group are its intervals");
}

static void pass(struct why *w, const uint8_t *data, size_t size, bool first)
{
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);

	(void)(first ? why_choose : why_read)(w, 0, r, &err);
	trace_reader_close(r);
}

static void ask(const uint8_t *data, size_t size, const struct why_question *q)
{
	char *traces[] = { "x", NULL };
	struct why_seen seen = {0};
	struct why_show show = { .question = *q, .stacks = true, .traces = traces, .seen = &seen };
	struct why *w = why_new(q);
	struct error err = {0};
	bool chosen = true;
	size_t i;

	why_see(&seen, why_spans(w));
	if (why_chooses(w)) {
		pass(w, data, size, true);
		chosen = !why_chosen(w, &err);
	}
	if (chosen)
		pass(w, data, size, false);
	if (chosen && !why_check(w, &err)) {
		if (q->all) {
			look_at_group(&why_answer(w)->groups[0]);
			look_at_group(&why_answer(w)->groups[1]);
		} else {
			for (i = 0; i < why_answers(w); i++) {
				why_turn(w, i);
				look_at(&why_answer(w)->path);
			}
			why_turn(w, 0);
		}
		why_text(nowhere, w, &show);
		why_json(nowhere, w, &show);
	}
	must(err.code != -EINVAL, err.text);
	why_free(w);
	origin_free(&seen.origin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names n = {0};

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!find_names(data, size, &n))
		return 0;
	ask(data, size, &(struct why_question){ .of = WHY_PROGRAM, .percentile = 100, .from = INT64_MIN,
						.to = INT64_MAX });
	ask(data, size, &(struct why_question){ .of = WHY_PROGRAM, .percentile = 100, .from = (int64_t)size,
						.to = (int64_t)size * 5 });
	ask(data, size, &(struct why_question){ .of = WHY_GOROUTINE, .id = n.g, .percentile = 100,
						.from = INT64_MIN, .to = (int64_t)size * 9 });
	ask(data, size, &(struct why_question){ .of = WHY_FUNC, .name = n.func, .percentile = 100 });
	ask(data, size, &(struct why_question){ .of = WHY_FUNC, .name = n.func, .percentile = 70, .all = true });
	ask(data, size, &(struct why_question){ .of = WHY_REGION, .name = n.region, .percentile = 100 });
	ask(data, size, &(struct why_question){ .of = WHY_TASK, .name = n.task, .percentile = 50 });
	ask(data, size, &(struct why_question){ .of = WHY_TASK, .id = n.task_id, .percentile = 100 });
	ask(data, size, &(struct why_question){ .of = WHY_TASK, .name = n.task, .percentile = 100, .slowest = 5,
						.request = true });
	ask(data, size, &(struct why_question){ .of = WHY_REGION, .name = n.region, .percentile = 100,
						.slowest = WHY_SLOWEST });
	return 0;
}
