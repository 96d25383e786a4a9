// SPDX-License-Identifier: Apache-2.0
/*
 * events_text: prints an event as a line of text, with its stacks below. Names in the trace are
 * quoted as in Go, so that no name can end the line or send a command to a terminal.
 */
#include <time.h>

#include "read/events_form.h"
#include "read/text_quote.h"
#include "read/wait_text.h"

enum { NS_PER_S = 1000000000, NS_DIGITS = 9 };
static const uint64_t LAST_DAY = 253402300799;	/* last second of the year 9999 */
enum { WIDTH_M = 9, WIDTH_P = 4, WIDTH_G = 8, WIDTH_EVENT = 20 };

static void events_text_pad(struct buf *b, size_t start, size_t width)
{
	do
		put_byte(b, ' ');
	while (b->len - start < width);
}

static void events_text_put_time(struct events *e, int64_t time)
{
	uint64_t ns = e->o->absolute ? (uint64_t)time : (uint64_t)time - (uint64_t)e->start;

	if ((int64_t)ns < 0) {
		put_byte(e->out, '-');
		ns = -ns;
	}
	put_uint(e->out, ns / NS_PER_S);
	put_byte(e->out, '.');
	put_digits(e->out, ns % NS_PER_S, NS_DIGITS);
	put_byte(e->out, ' ');
}

static void events_text_put_id(struct buf *b, char letter, uint64_t id)
{
	if (id == TRACEV2_NO_ID) {
		put_byte(b, '-');
		return;
	}
	put_byte(b, letter);
	put_uint(b, id);
}

static void put_column(struct buf *b, char letter, uint64_t id, size_t width)
{
	size_t start = b->len;

	events_text_put_id(b, letter, id);
	events_text_pad(b, start, width);
}

static void events_text_put_resource(struct buf *b, enum resource of, uint64_t id)
{
	events_text_put_id(b, of == RESOURCE_PROC ? 'P' : 'G', id);
}

static void events_text_put_quoted(struct events *e, struct view_text text)
{
	put_byte(e->out, ' ');
	if (text.s)
		quote_append(e->out, (const uint8_t *)text.s, text.len);
	else
		put_byte(e->out, '?');
}

/* --- kinds --- */

/* Appends the time as in RFC 3339, or the seconds if the calendar ends before. */
static void put_wall(struct buf *b, uint64_t sec, uint64_t nsec)
{
	time_t when = (time_t)sec;
	char text[32];
	struct tm tm;

	if (sec <= LAST_DAY && gmtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		put_text(b, text);
	else
		put_uint(b, sec);
	put_byte(b, '.');
	put_digits(b, nsec, NS_DIGITS);
	put_byte(b, 'Z');
}

static void events_text_put_sync(struct events *e, const struct trace_event *ev)
{
	struct view_sync sync = view_sync(ev, e->gen);

	put_byte(e->out, ' ');
	put_uint(e->out, sync.n);
	if (!sync.has_clock)
		return;
	put_word(e->out, " at ");
	put_int(e->out, sync.time);
	put_word(e->out, " ns: monotonic ");
	put_uint(e->out, sync.mono_ns);
	put_word(e->out, " ns, ");
	put_wall(e->out, sync.wall_sec, sync.wall_nsec);
}

static void events_text_put_wait(struct events *e, const struct trace_event *ev)
{
	struct trace_wait wait;

	if (!trace_reader_wait(e->reader, ev, &wait))
		return;
	put_word(e->out, " for ");
	wait_text(e->out, &wait);
}

static void events_text_put_transition(struct events *e, const struct trace_event *ev)
{
	struct view_transition tr = view_transition(ev);
	bool proc = tr.of == RESOURCE_PROC;

	put_byte(e->out, ' ');
	events_text_put_resource(e->out, tr.of, tr.id);
	put_byte(e->out, ' ');
	put_text(e->out, proc ? proc_state_name(tr.from) : go_state_name(tr.from));
	put_word(e->out, "->");
	put_text(e->out, proc ? proc_state_name(tr.to) : go_state_name(tr.to));
	if (tr.reason)
		events_text_put_quoted(e, events_string(e, tr.reason));
	events_text_put_wait(e, ev);
}

static void events_text_put_range(struct events *e, const struct trace_event *ev)
{
	struct view_range range = view_range(ev);
	struct view_text reason = events_string(e, range.reason);
	unsigned i;

	put_byte(e->out, ' ');
	put_text(e->out, range.name);
	if (range.has_reason)
		events_text_put_quoted(e, reason);
	if (range.scope != RESOURCE_NONE) {
		put_word(e->out, " of ");
		events_text_put_resource(e->out, range.scope, range.id);
	}
	for (i = 0; i < range.nattrs; i++) {
		put_word(e->out, ", ");
		put_text(e->out, range.attrs[i].name);
		put_byte(e->out, ' ');
		put_uint(e->out, range.attrs[i].value);
	}
}

static void events_text_put_metric(struct events *e, const struct trace_event *ev)
{
	struct view_metric metric = view_metric(ev);

	put_byte(e->out, ' ');
	put_text(e->out, metric.name);
	put_byte(e->out, ' ');
	put_uint(e->out, metric.value);
}

static void events_text_put_label(struct events *e, const struct trace_event *ev)
{
	struct view_label label = view_label(ev);

	events_text_put_quoted(e, events_string(e, label.label));
	put_word(e->out, " of ");
	events_text_put_resource(e->out, label.of, label.id);
}

static void events_text_put_task(struct events *e, const struct trace_event *ev)
{
	struct view_task task = view_task(ev);

	put_word(e->out, " task ");
	put_uint(e->out, task.id);
	if (task.parent != TRACEV2_NO_ID) {
		put_word(e->out, " of task ");
		put_uint(e->out, task.parent);
	}
	events_text_put_quoted(e, task.type);
}

static void events_text_put_region(struct events *e, const struct trace_event *ev)
{
	struct view_region region = view_region(ev);

	events_text_put_quoted(e, events_string(e, region.type));
	put_word(e->out, " of task ");
	put_uint(e->out, region.task);
}

static void events_text_put_log(struct events *e, const struct trace_event *ev)
{
	struct view_log log = view_log(ev);

	events_text_put_quoted(e, events_string(e, log.category));
	events_text_put_quoted(e, events_string(e, log.message));
	put_word(e->out, " of task ");
	put_uint(e->out, log.task);
}

static void events_text_put_experimental(struct events *e, const struct trace_event *ev)
{
	struct view_arg args[TRACEV2_MAX_ARGS];
	unsigned i, n = view_args(ev, e->specs, args);

	for (i = 0; i < n; i++) {
		put_byte(e->out, ' ');
		put_bytes(e->out, args[i].name, args[i].name_len);
		put_byte(e->out, '=');
		put_uint(e->out, args[i].value);
	}
}

static events_form_fn *const details[VIEW_KINDS] = {
	[VIEW_SYNC] = events_text_put_sync,
	[VIEW_METRIC] = events_text_put_metric,
	[VIEW_LABEL] = events_text_put_label,
	[VIEW_RANGE_BEGIN] = events_text_put_range,
	[VIEW_RANGE_ACTIVE] = events_text_put_range,
	[VIEW_RANGE_END] = events_text_put_range,
	[VIEW_TASK_BEGIN] = events_text_put_task,
	[VIEW_TASK_END] = events_text_put_task,
	[VIEW_REGION_BEGIN] = events_text_put_region,
	[VIEW_REGION_END] = events_text_put_region,
	[VIEW_LOG] = events_text_put_log,
	[VIEW_STATE_TRANSITION] = events_text_put_transition,
	[VIEW_EXPERIMENTAL] = events_text_put_experimental,
};

/* --- stacks --- */

/*
 * Appends a name with the escapes of a quoted string, but without quotes: the line of a frame is
 * unambiguous without them.
 */
static void events_text_put_name(struct buf *out, const struct v2_tables *t, uint64_t id)
{
	size_t len, start = out->len;
	const char *name = tables_string(t, id, &len);

	if (!name || !len) {
		put_byte(out, '?');
		return;
	}
	quote_append(out, (const uint8_t *)name, len);
	out->len -= 2;
	memmove(out->data + start, out->data + start + 1, out->len - start);
}

static void events_text_put_frames(struct buf *out, const struct v2_tables *t,
				   const struct v2_stack *stack, const char *before)
{
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *frame = tables_frame(t, stack, i);

		put_text(out, before);
		events_text_put_name(out, t, frame->func);
		put_byte(out, ' ');
		events_text_put_name(out, t, frame->file);
		put_byte(out, ':');
		put_uint(out, frame->line);
		put_byte(out, '\n');
	}
}

void events_text_frames(struct buf *out, const struct v2_tables *t, const struct v2_stack *stack)
{
	events_text_put_frames(out, t, stack, "\t");
}

void events_text_new_frames(struct buf *out, const struct v2_tables *t,
			    const struct v2_stack *stack)
{
	events_text_put_frames(out, t, stack, "\tnew: ");
}

static void events_text_put_link(struct events *e)
{
	if (!e->link.type)
		return;
	put_word(e->out, "  <- ");
	events_text_put_time(e, e->link.time);
	put_text(e->out, view_event_name(e->link.type));
}

void events_put_text(struct events *e, const struct trace_event *ev)
{
	events_form_fn *detail = details[view_kind(ev)];
	struct buf *out = e->out;
	size_t start;

	events_text_put_time(e, ev->time);
	put_column(out, 'M', ev->m, WIDTH_M);
	put_column(out, 'P', ev->p, WIDTH_P);
	put_column(out, 'G', ev->g, WIDTH_G);
	start = out->len;
	put_text(out, view_event_name(ev->type));
	if (detail) {
		events_text_pad(out, start, WIDTH_EVENT - 1);
		out->len--;	/* each detail begins with a space */
		detail(e, ev);
	}
	events_text_put_link(e);
	put_byte(out, '\n');
	if (e->gen && !e->o->no_stacks)
		events_put_stacks(e, ev);
}
