// SPDX-License-Identifier: Apache-2.0
/* describe: the attributes of spans, of their waits and of the program. See internal.h. */
#include <stdlib.h>
#include <string.h>

#include "otlp/internal.h"
#include "read/wait_text.h"
#include "why/place.h"

static void describe_put_fact(struct otlp_facts *f, const char *key, const char *value)
{
	if (value)
		facts_add_text(f, key, value, strlen(value));
}

/* The last part of the path of the program's file. */
static const char *describe_program(const struct origin *origin)
{
	const char *path = origin->facts[ORIGIN_PROGRAM], *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path && *path ? path : "unknown_service:go";
}

void otlp_describe_resource(struct otlp *o, struct otlp_facts *f)
{
	char *const *facts = o->origin.facts;
	const char *pid = facts[ORIGIN_PID], *version = facts[ORIGIN_VERSION];

	facts_clear(f);
	describe_put_fact(f, "service.name",
			  o->options.service ? o->options.service : describe_program(&o->origin));
	if (version && strcmp(version, "(devel)"))
		describe_put_fact(f, "service.version", version);
	if (pid && *pid && strlen(pid) < 10 && strspn(pid, "0123456789") == strlen(pid))
		facts_add_number(f, "process.pid", atoi(pid));
	describe_put_fact(f, "process.executable.path", facts[ORIGIN_PROGRAM]);
	describe_put_fact(f, "process.runtime.name", "go");
	describe_put_fact(f, "process.runtime.version", facts[ORIGIN_GO]);
	describe_put_fact(f, "host.name", facts[ORIGIN_HOST]);
}

/* --- waits --- */

/* Where the goroutine waited: the program's own frame. */
static void describe_put_place(struct otlp *o, uint32_t stack)
{
	const struct stack_frame *frame = place_frame(spans_stacks(o->s), stack);

	if (!frame)
		return;
	facts_event_text(&o->facts, "code.function.name", frame->func);
	facts_event_text(&o->facts, "code.file.path", frame->file);
	if (frame->line <= INT64_MAX)
		facts_event_number(&o->facts, "code.line.number", (int64_t)frame->line);
}

static void describe_put_wait(struct otlp *o, const struct otlp_wait *w, int64_t wall)
{
	size_t first = o->facts.of_events.len;
	struct otlp_event *e = vec_push(&o->events, sizeof(*e));
	struct buf object = {0};

	facts_event_number(&o->facts, "gotap.wait.ns", w->ns);
	facts_event_text(&o->facts, "gotap.wait.reason", w->reason);
	if (w->kind) {
		wait_text(&object, &(struct trace_wait){ .kind = w->kind, .n = 1,
							 .of = { w->of } });
		buf_add_byte(&object, 0);
		facts_event_text(&o->facts, "gotap.wait.object", (const char *)object.data);
		buf_free(&object);
	}
	describe_put_place(o, w->stack);
	*e = (struct otlp_event){ .time = wall + w->from, .name = "gotap.wait", .first = first,
				  .n = o->facts.of_events.len - first };
}

static void describe_put_note(struct otlp *o, const struct otlp_note *n, int64_t wall)
{
	size_t first = o->facts.of_events.len;
	struct otlp_event *e = vec_push(&o->events, sizeof(*e));

	facts_add_event(&o->facts, n->category, n->log);
	*e = (struct otlp_event){ .time = wall + n->time, .name = n->name, .first = first,
				  .n = o->facts.of_events.len - first };
}

/* --- spans --- */

static void describe_put_own(struct otlp *o, const struct otlp_op *op)
{
	struct otlp_facts *f = &o->facts;

	if (op->is_region && op->func)
		describe_put_fact(f, "code.function.name", op->func);
	if (!op->is_region && op->task)
		facts_add_number(f, "gotap.task", (int64_t)op->task);
	if (op->g != TRACEV2_NO_ID)
		facts_add_number(f, "gotap.goroutine", (int64_t)op->g);
	if (!op->is_root)
		return;
	describe_put_fact(f, "gotap.trace.file", o->options.file);
	if (op->root->left_out)
		facts_add_number(f, "gotap.left_out_spans", (int64_t)op->root->left_out);
}

void otlp_describe(struct otlp *o, const struct otlp_op *op)
{
	size_t i;

	facts_make(&o->facts, op->category, op->name, op->log ? op->log : "");
	describe_put_own(o, op);
	o->events.len = 0;
	for (i = 0; i < op->waits.len; i++)
		describe_put_wait(o, vec_at(&op->waits, struct otlp_wait, i), op->root->wall);
	for (i = 0; i < op->notes.len; i++)
		describe_put_note(o, vec_at(&op->notes, struct otlp_note, i), op->root->wall);
}
