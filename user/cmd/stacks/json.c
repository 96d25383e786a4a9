// SPDX-License-Identifier: Apache-2.0
/*
 * json: goroutines, or groups of them, as one JSON object on one line (docs/stacks.md). See
 * stacks.h.
 */
#include <string.h>

#include "base/json_out.h"
#include "cmd/graph_losses.h"
#include "cmd/stacks/stacks.h"
#include "read/labels.h"

enum { VERSION = 1 };	/* of the object: goes up when a name gets another meaning */

static void stacks_json_put_frame(struct json_out *j, const char *name, const struct shown_frame *f,
				  uint64_t goid)
{
	json_open_object(j, name);
	json_put_text(j, "function", f->func);
	json_put_text(j, "file", f->file);
	json_put_count(j, "line", f->line);
	if (f->inlined)
		json_put_bool(j, "inlined", true);
	if (goid)
		json_put_count(j, "goroutine", goid);
	json_close_object(j);
}

static void stacks_json_write_stack(struct stacks *s, uint32_t stack, FILE *to)
{
	static struct shown_frame frames[SHOWN_MAX];
	struct json_out j = { .f = to };
	size_t i, n = shown_frames(&s->gs, stack, SHOWN_ALL, frames, SHOWN_MAX);

	json_open_array(&j, NULL);
	for (i = 0; i < n; i++)
		stacks_json_put_frame(&j, NULL, &frames[i], 0);
	json_close_array(&j);
}

static void stacks_json_put_stack(struct json_out *j, struct stacks *s, const struct goroutine *g)
{
	static const char *const known[] = {
		[STACK_KNOWN] = "yes", [STACK_RUNNING] = "running", [STACK_MOVED] = "moved",
		[STACK_UNREADABLE] = "unreadable",
	};
	const struct stack_entry *e;
	const struct buf *text;

	json_put_text(j, "stack_known", known[g->known]);
	if (g->known != STACK_KNOWN)
		return;
	e = stackset_entry(&s->gs.stacks, g->stack);
	if (e->left_out)
		json_put_count(j, "stack_left_out", e->left_out);
	if (e->cut)
		json_put_bool(j, "stack_cut", true);
	text = stacks_text_of(s, g->stack, stacks_json_write_stack);
	json_put_json(j, "stack", text->data, text->len);
}

static void put_labels(struct json_out *j, const struct stacks *s, const struct goroutine *g)
{
	struct labels l = {0};
	size_t i;

	if (g->labels_unread)
		json_put_text(j, "labels", NULL);
	if (!g->labels || s->o->no_labels)
		return;
	labels_parse(&l, g->labels, strlen(g->labels));
	json_open_object(j, "labels");
	for (i = 0; i < l.all.len; i++) {
		const struct label *label = vec_at(&l.all, struct label, i);

		json_put_text(j, label_key(&l, label), label_value(&l, label));
	}
	json_close_object(j);
	if (l.more)
		json_put_bool(j, "labels_more", true);
	labels_free(&l);
}

static void put_still(struct json_out *j, const struct goroutine *g)
{
	static const char *const still[] = {
		[STILL_MOVED] = "no",
		[STILL_SAME] = "place",
		[STILL_COUNTED] = "count",
		[STILL_PROVEN] = "gc",
	};

	if (g->still)
		json_put_text(j, "still", still[g->still]);
}

static void stacks_json_put_goroutine(struct json_out *j, struct stacks *s,
				      const struct goroutine *g)
{
	struct shown_frame creator;
	char state[SHOWN_STATE];

	json_open_object(j, NULL);
	json_put_count(j, "id", g->goid);
	json_put_text(j, "state", shown_state(s->plan.minor, g, state));
	if (shown_is_leaked(s->plan.minor, g))
		json_put_bool(j, "leaked", true);
	if (g->waited_ns)
		json_put_real(j, "waits_seconds", (double)g->waited_ns / 1e9, 3);
	if (g->waited_least_ns)
		json_put_real(j, "waits_seconds_at_least", (double)g->waited_least_ns / 1e9, 3);
	put_still(j, g);
	if (g->locked)
		json_put_bool(j, "locked_to_thread", true);
	if (g->tid)
		json_put_count(j, "thread", g->tid);
	if (g->bubble)
		json_put_count(j, "synctest_bubble", g->bubble);
	if (shown_is_system(&s->gs, s->plan.minor, g))
		json_put_bool(j, "system", true);
	put_labels(j, s, g);
	stacks_json_put_stack(j, s, g);
	if (shown_creator(&s->gs, g, &creator))
		stacks_json_put_frame(j, "created_by", &creator, g->parent);
	json_close_object(j);
}

static void stacks_json_put_goroutines(struct json_out *j, struct stacks *s)
{
	size_t i;

	json_open_array(j, "goroutines");
	for (i = 0; i < s->gs.all.len && !ferror(j->f); i++) {
		const struct goroutine *g = vec_at(&s->gs.all, struct goroutine, i);

		if (stacks_wants(s, g))
			stacks_json_put_goroutine(j, s, g);
	}
	json_close_array(j);
}

static void stacks_json_put_group(struct json_out *j, struct stacks *s,
				  const struct stacks_group *group)
{
	const struct goroutine *g = *vec_at(&group->members, const struct goroutine *, 0);
	size_t i;

	json_open_object(j, NULL);
	json_put_count(j, "count", group->members.len);
	json_open_array(j, "goroutines");
	for (i = 0; i < group->members.len; i++)
		json_put_count(j, NULL,
			       (*vec_at(&group->members, const struct goroutine *, i))->goid);
	json_close_array(j);
	put_labels(j, s, g);
	stacks_json_put_stack(j, s, g);
	json_close_object(j);
}

static void stacks_json_put_groups(struct json_out *j, struct stacks *s)
{
	struct vec groups;
	size_t i;

	stacks_group(s, &groups);
	json_open_array(j, "groups");
	for (i = 0; i < groups.len && !ferror(j->f); i++)
		stacks_json_put_group(j, s, vec_at(&groups, struct stacks_group, i));
	json_close_array(j);
	stacks_free_groups(&groups);
}

static void put_watch(struct json_out *j, const struct stacks *s)
{
	json_open_object(j, "watch");
	json_put_real(j, "seconds", (double)(s->watch.end - s->watch.begin) / 1e9, 3);
	json_put_count(j, "looks", s->watch.looks + 1);
	json_close_object(j);
}

/* What the search by reachability could not read, or not judge. */
static void put_graph(struct json_out *j, const struct stacks *s)
{
	json_open_object(j, "heap_graph");
	graph_losses_put(j, &s->graph);
	json_put_count(j, "waits_unknown", s->graph.waits_unknown);
	json_close_object(j);
}

void stacks_print_json(struct stacks *s)
{
	struct json_out j = { .f = stdout };

	json_open_object(&j, NULL);
	json_put_count(&j, "version", VERSION);
	json_put_count(&j, "pid", (uint64_t)s->look.proc.pid);
	json_put_text(&j, "go", s->plan.go_version);
	if (s->o->watch)
		put_watch(&j, s);
	if (s->o->group)
		stacks_json_put_groups(&j, s);
	else
		stacks_json_put_goroutines(&j, s);
	json_open_object(&j, "counts");
	json_put_count(&j, "goroutines", s->gs.all.len);
	json_put_count(&j, "system_left_out", s->left_out);
	json_put_count(&j, "moved", s->gs.moved);
	json_put_count(&j, "unreadable", s->gs.unreadable);
	json_close_object(&j);
	if (s->o->reachability)
		put_graph(&j, s);
	json_close_object(&j);
	fputc('\n', stdout);
}
