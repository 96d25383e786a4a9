// SPDX-License-Identifier: Apache-2.0
/*
 * events_json: prints an event as a JSON object on one line; docs/text.md has the keys. Text is
 * valid UTF-8: unprintable characters are escaped, and a byte that is not UTF-8 is printed as
 * U+FFFD.
 */
#include "read/events_form.h"
#include "read/text_quote.h"
#include "read/wait_text.h"

static bool events_json_is_plain(uint8_t c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void put_escape(struct buf *b, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";
	char text[] = { '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15],
			hex[unit & 15] };

	put_bytes(b, text, sizeof(text));
}

static void put_rune(struct buf *b, const uint8_t *p, size_t n, uint32_t rune)
{
	if (rune == '"' || rune == '\\') {
		put_byte(b, '\\');
		put_byte(b, (char)rune);
	} else if (n > 1 && rune_is_print(rune)) {
		put_bytes(b, p, n);
	} else if (rune < 0x10000) {
		put_escape(b, rune);	/* bytes that are not UTF-8 have RUNE_ERROR */
	} else {
		put_escape(b, 0xd800 + ((rune - 0x10000) >> 10));
		put_escape(b, 0xdc00 + ((rune - 0x10000) & 0x3ff));
	}
}

static void events_json_put_string(struct buf *b, struct view_text text)
{
	const uint8_t *p = (const uint8_t *)text.s, *end;

	if (!p) {
		put_word(b, "null");
		return;
	}
	put_byte(b, '"');
	for (end = p + text.len; p < end;) {
		const uint8_t *plain = p;
		uint32_t rune;
		size_t n;

		while (p < end && events_json_is_plain(*p))
			p++;
		put_bytes(b, plain, (size_t)(p - plain));
		if (p == end)
			break;
		n = rune_decode(p, (size_t)(end - p), &rune);
		put_rune(b, p, n, rune);
		p += n;
	}
	put_byte(b, '"');
}

static void events_json_put_id(struct buf *b, uint64_t id)
{
	if (id == TRACEV2_NO_ID)
		put_word(b, "null");
	else
		put_uint(b, id);
}

/* Appends a name that needs no escapes. */
static void events_json_put_name(struct buf *b, const char *name)
{
	put_byte(b, '"');
	put_text(b, name);
	put_byte(b, '"');
}

static void events_json_put_resource(struct buf *b, enum resource of, uint64_t id)
{
	if (of == RESOURCE_NONE)
		put_word(b, ",\"of\":null,\"id\":null");
	else if (of == RESOURCE_PROC)
		put_word(b, ",\"of\":\"proc\",\"id\":");
	else
		put_word(b, ",\"of\":\"goroutine\",\"id\":");
	if (of != RESOURCE_NONE)
		events_json_put_id(b, id);
}

/* --- kinds --- */

/*
 * The sizes of experimental data. The data belongs to the generation and not to an event, so the
 * Sync has them.
 */
static void put_batches(struct events *e)
{
	size_t i;

	put_word(e->out, ",\"batches\":[");
	for (i = 0; i < e->gen->experiments.len; i++) {
		const struct v2_experiment *x =
			vec_at(&e->gen->experiments, struct v2_experiment, i);

		if (i)
			put_byte(e->out, ',');
		put_word(e->out, "{\"experiment\":");
		put_uint(e->out, x->exp);
		put_word(e->out, ",\"m\":");
		events_json_put_id(e->out, x->m);
		put_word(e->out, ",\"bytes\":");
		put_uint(e->out, x->at.size);
		put_byte(e->out, '}');
	}
	put_byte(e->out, ']');
}

static void events_json_put_sync(struct events *e, const struct trace_event *ev)
{
	struct view_sync sync = view_sync(ev, e->gen);

	put_word(e->out, ",\"n\":");
	put_uint(e->out, sync.n);
	if (sync.has_clock) {
		put_word(e->out, ",\"clock\":{\"time\":");
		put_int(e->out, sync.time);
		put_word(e->out, ",\"mono_ns\":");
		put_uint(e->out, sync.mono_ns);
		put_word(e->out, ",\"wall_sec\":");
		put_uint(e->out, sync.wall_sec);
		put_word(e->out, ",\"wall_nsec\":");
		put_uint(e->out, sync.wall_nsec);
		put_byte(e->out, '}');
	}
	if (e->gen && e->gen->experiments.len)
		put_batches(e);
}

static void events_json_put_socket(struct buf *out, const struct trace_socket *s)
{
	if (!s->protocol)
		return;
	put_word(out, ",\"protocol\":\"");
	put_text(out, wait_protocol_name(s->protocol));
	if (s->protocol == TRACE_UNIX) {
		put_word(out, "\",\"connection\":");
		put_uint(out, wait_socket_inode(s));
		put_word(out, ",\"end\":\"");
		put_text(out, s->local_port ? "accepted" : "connected");
		put_byte(out, '"');
		return;
	}
	put_word(out, "\",\"local\":\"");
	wait_text_address(out, s->local, s->local_port);
	if (s->remote_port) {
		put_word(out, "\",\"remote\":\"");
		wait_text_address(out, s->remote, s->remote_port);
	}
	put_byte(out, '"');
}

static void events_json_put_object(struct buf *out, const struct trace_wait *w, unsigned int i)
{
	int cap = wait_capacity(w, i);

	if (w->kind == WAIT_NETWORK) {
		put_word(out, "{\"fd\":");
		put_uint(out, wait_address(w, i));
		events_json_put_socket(out, &w->network.socket);
	} else {
		put_word(out, "{\"address\":\"0x");
		put_hex(out, wait_address(w, i));
		put_byte(out, '"');
	}
	if (cap >= 0) {
		put_word(out, ",\"capacity\":");
		put_uint(out, (uint64_t)cap);
	}
	put_byte(out, '}');
}

static void events_json_put_wait(struct events *e, const struct trace_event *ev)
{
	struct trace_wait wait;
	unsigned int i;

	if (!trace_reader_wait(e->reader, ev, &wait))
		return;
	put_word(e->out, ",\"waits_for\":{\"kind\":\"");
	put_text(e->out, wait_kind_name(wait.kind));
	put_word(e->out, "\",\"objects\":[");
	for (i = 0; i < wait.n; i++) {
		if (i)
			put_byte(e->out, ',');
		events_json_put_object(e->out, &wait, i);
	}
	put_byte(e->out, ']');
	if (wait.more)
		put_word(e->out, ",\"more\":true");
	put_byte(e->out, '}');
}

static void events_json_put_transition(struct events *e, const struct trace_event *ev)
{
	struct view_transition tr = view_transition(ev);
	bool proc = tr.of == RESOURCE_PROC;

	events_json_put_resource(e->out, tr.of, tr.id);
	put_word(e->out, ",\"from\":");
	events_json_put_name(e->out, proc ? proc_state_name(tr.from) : go_state_name(tr.from));
	put_word(e->out, ",\"to\":");
	events_json_put_name(e->out, proc ? proc_state_name(tr.to) : go_state_name(tr.to));
	put_word(e->out, ",\"reason\":");
	events_json_put_string(e->out, tr.reason ? events_string(e, tr.reason) :
						   (struct view_text){ "", 0 });
	events_json_put_wait(e, ev);
}

/* Appends NAME (REASON) as one JSON string. */
static void put_range_name(struct events *e, const struct view_range *range)
{
	struct view_text reason = events_string(e, range->reason);
	struct buf name = {0};

	put_text(&name, range->name);
	if (range->has_reason && reason.s) {
		put_word(&name, " (");
		put_bytes(&name, reason.s, reason.len);
		put_byte(&name, ')');
	}
	events_json_put_string(e->out, (struct view_text){ (const char *)name.data, name.len });
	buf_free(&name);
}

static void events_json_put_range(struct events *e, const struct trace_event *ev)
{
	struct view_range range = view_range(ev);
	unsigned i;

	put_word(e->out, ",\"name\":");
	put_range_name(e, &range);
	events_json_put_resource(e->out, range.scope, range.id);
	for (i = 0; i < range.nattrs; i++) {
		put_text(e->out, i ? "," : ",\"attributes\":{");
		events_json_put_name(e->out, range.attrs[i].name);
		put_byte(e->out, ':');
		put_uint(e->out, range.attrs[i].value);
	}
	if (i)
		put_byte(e->out, '}');
}

static void events_json_put_metric(struct events *e, const struct trace_event *ev)
{
	struct view_metric metric = view_metric(ev);

	put_word(e->out, ",\"name\":");
	events_json_put_name(e->out, metric.name);
	put_word(e->out, ",\"value\":");
	put_uint(e->out, metric.value);
}

static void events_json_put_label(struct events *e, const struct trace_event *ev)
{
	struct view_label label = view_label(ev);

	put_word(e->out, ",\"label\":");
	events_json_put_string(e->out, events_string(e, label.label));
	events_json_put_resource(e->out, label.of, label.id);
}

static void events_json_put_task(struct events *e, const struct trace_event *ev)
{
	struct view_task task = view_task(ev);

	put_word(e->out, ",\"task\":");
	put_uint(e->out, task.id);
	put_word(e->out, ",\"parent\":");
	events_json_put_id(e->out, task.parent);
	put_word(e->out, ",\"type\":");
	events_json_put_string(e->out, task.type);
}

static void events_json_put_region(struct events *e, const struct trace_event *ev)
{
	struct view_region region = view_region(ev);

	put_word(e->out, ",\"task\":");
	put_uint(e->out, region.task);
	put_word(e->out, ",\"type\":");
	events_json_put_string(e->out, events_string(e, region.type));
}

static void events_json_put_log(struct events *e, const struct trace_event *ev)
{
	struct view_log log = view_log(ev);

	put_word(e->out, ",\"task\":");
	put_uint(e->out, log.task);
	put_word(e->out, ",\"category\":");
	events_json_put_string(e->out, events_string(e, log.category));
	put_word(e->out, ",\"message\":");
	events_json_put_string(e->out, events_string(e, log.message));
}

static void events_json_put_experimental(struct events *e, const struct trace_event *ev)
{
	struct view_arg args[TRACEV2_MAX_ARGS];
	unsigned i, n = view_args(ev, e->specs, args);

	put_word(e->out, ",\"experiment\":");
	events_json_put_name(e->out, view_experiment_name(view_experiment(ev)));
	put_word(e->out, ",\"args\":{");
	for (i = 0; i < n; i++) {
		if (i)
			put_byte(e->out, ',');
		put_byte(e->out, '"');
		put_bytes(e->out, args[i].name, args[i].name_len);
		put_word(e->out, "\":");
		if (args[i].is_string)
			events_json_put_string(e->out, events_string(e, args[i].value));
		else
			put_uint(e->out, args[i].value);
	}
	put_byte(e->out, '}');
}

static events_form_fn *const details[VIEW_KINDS] = {
	[VIEW_SYNC] = events_json_put_sync,
	[VIEW_METRIC] = events_json_put_metric,
	[VIEW_LABEL] = events_json_put_label,
	[VIEW_RANGE_BEGIN] = events_json_put_range,
	[VIEW_RANGE_ACTIVE] = events_json_put_range,
	[VIEW_RANGE_END] = events_json_put_range,
	[VIEW_TASK_BEGIN] = events_json_put_task,
	[VIEW_TASK_END] = events_json_put_task,
	[VIEW_REGION_BEGIN] = events_json_put_region,
	[VIEW_REGION_END] = events_json_put_region,
	[VIEW_LOG] = events_json_put_log,
	[VIEW_STATE_TRANSITION] = events_json_put_transition,
	[VIEW_EXPERIMENTAL] = events_json_put_experimental,
};

/* --- stacks --- */

static void put_string_of(struct buf *out, const struct v2_tables *t, uint64_t id)
{
	struct view_text text;

	text.s = tables_string(t, id, &text.len);
	events_json_put_string(out, text);
}

static void events_json_put_frames(struct buf *out, const struct v2_tables *t,
				   const struct v2_stack *stack)
{
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *frame = tables_frame(t, stack, i);

		put_text(out, i ? ",{\"func\":" : "{\"func\":");
		put_string_of(out, t, frame->func);
		put_word(out, ",\"file\":");
		put_string_of(out, t, frame->file);
		put_word(out, ",\"line\":");
		put_uint(out, frame->line);
		put_word(out, ",\"pc\":");
		put_uint(out, frame->pc);
		put_byte(out, '}');
	}
}

void events_json_frames(struct buf *out, const struct v2_tables *t, const struct v2_stack *stack)
{
	if (!stack->len)
		return;
	put_word(out, ",\"stack\":[");
	events_json_put_frames(out, t, stack);
	put_byte(out, ']');
}

void events_json_new_frames(struct buf *out, const struct v2_tables *t,
			    const struct v2_stack *stack)
{
	if (!stack->len)
		return;
	put_word(out, ",\"new_stack\":[");
	events_json_put_frames(out, t, stack);
	put_byte(out, ']');
}

static void events_json_put_link(struct events *e)
{
	if (!e->link.type)
		return;
	put_word(e->out, ",\"link\":{\"time\":");
	put_int(e->out, e->link.time);
	put_word(e->out, ",\"event\":");
	events_json_put_name(e->out, view_event_name(e->link.type));
	put_byte(e->out, '}');
}

void events_put_json(struct events *e, const struct trace_event *ev)
{
	events_form_fn *detail = details[view_kind(ev)];
	struct buf *out = e->out;

	put_word(out, "{\"time\":");
	put_int(out, ev->time);
	put_word(out, ",\"m\":");
	events_json_put_id(out, ev->m);
	put_word(out, ",\"p\":");
	events_json_put_id(out, ev->p);
	put_word(out, ",\"g\":");
	events_json_put_id(out, ev->g);
	put_word(out, ",\"event\":");
	events_json_put_name(out, view_event_name(ev->type));
	put_word(out, ",\"kind\":");
	events_json_put_name(out, view_kind_name(view_kind(ev)));
	if (detail)
		detail(e, ev);
	events_json_put_link(e);
	if (e->gen && !e->o->no_stacks)
		events_put_stacks(e, ev);
	put_word(out, "}\n");
}
