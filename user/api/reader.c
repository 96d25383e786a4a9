// SPDX-License-Identifier: Apache-2.0
/*
 * reader: see gotap/reader.h. Input: a trace of any format. Output: the events of the v2 reader
 * (read/v2_reader.h), which v1/reader.h opens for a trace before Go 1.22.
 */
#include "gotap/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "api/api.h"
#include "api/forward.h"
#include "base/vec.h"
#include "read/links.h"
#include "read/v2_reader.h"
#include "read/view.h"
#include "read/wait_text.h"
#include "v1/file.h"
#include "v1/reader.h"

struct gotap_reader {
	struct trace_reader *events;
	const struct trace_event *last;	/* event of the last gotap_next(), NULL: none */
	struct links *links;	/* NULL: gotap_read_options.links is not set */
	struct event_link link;	/* of the last event */
	struct forward *forward;	/* NULL: gotap_read_options.forward is not set */
	size_t next_data;	/* index in the batches of experimental data of the generation */
	uint8_t *data;		/* bytes of the last batch */
	int version;
	bool legacy;
	struct gotap_error err;
};

/* --- opening --- */

static int open_legacy(struct gotap_reader *r, const void *data, size_t n, const char *binary,
		       struct error *err)
{
	struct v1_trace *t;
	int ret = v1_trace_open(&t, data, n, err);

	if (ret)
		return ret;
	r->legacy = true;
	r->version = v1_trace_version(t);
	if (binary)
		ret = v1_trace_symbolize(t, binary, err);
	if (!ret) {
		r->events = v1_reader_open(t, err);
		ret = r->events ? 0 : err->code;
	}
	v1_trace_free(t);
	return ret;
}

/* Takes the ownership of @source. */
static int open_source(struct gotap_reader *r, struct raw_source *source, const char *binary,
		       struct error *err)
{
	struct buf data = {0};
	int ret;

	source_need(source, V1_HEADER);
	if (!v1_file_is(source->pos, source_left(source))) {
		r->events = trace_reader_open_source(source, err);
		r->version = r->events ? trace_reader_version(r->events) : 0;
		return r->events ? 0 : err->code;
	}
	ret = source_take_all(source, &data, err);
	source_close(source);
	if (!ret)
		ret = open_legacy(r, data.data, data.len, binary, err);
	buf_free(&data);
	return ret;
}

/*
 * True for a file and for memory: the bytes of a descriptor, function or pipe can be read only
 * once.
 */
static bool api_reader_can_read_twice(const struct gotap_input *in)
{
	struct stat st;

	if (in->path)
		return strcmp(in->path, "-") && !stat(in->path, &st) && S_ISREG(st.st_mode);
	return in->data && !in->read;
}

static int api_reader_look_forward(struct gotap_reader *r, const struct gotap_input *in,
				   struct error *err)
{
	struct gotap_reader first = {0};
	struct raw_source source;
	int ret;

	if (!api_reader_can_read_twice(in))
		return error_set(err, -ESPIPE, "cannot read the trace twice, which the links to "
				 "later events need: give a path or memory");
	ret = api_source(&source, in, err);
	if (!ret)
		ret = open_source(&first, &source, NULL, err);
	if (!ret)
		r->forward = forward_new(first.events);
	trace_reader_close(first.events);
	return ret;
}

static int api_reader_open_input(struct gotap_reader **ret, const struct gotap_input *in,
		      const struct gotap_read_options *options, struct gotap_error *gerr)
{
	struct gotap_reader *r;
	struct gotap_read_options o = {0};
	struct raw_source source;
	struct error err;
	int failed;

	if (api_source(&source, in, &err))
		return api_error(gerr, &err);
	if (options)
		api_take(&o, sizeof(o), options, options->size);
	r = xcalloc(1, sizeof(*r));
	if (o.links)
		r->links = links_new();
	failed = open_source(r, &source, o.binary, &err);
	if (!failed && o.forward)
		failed = api_reader_look_forward(r, in, &err);
	if (failed) {
		gotap_close(r);
		return api_error(gerr, &err);
	}
	*ret = r;
	return 0;
}

int gotap_open(struct gotap_reader **ret, const char *path,
	       const struct gotap_read_options *options, struct gotap_error *err)
{
	struct gotap_input in = { .size = sizeof(in), .path = path };

	return api_reader_open_input(ret, &in, options, err);
}

int gotap_open_fd(struct gotap_reader **ret, int fd, const struct gotap_read_options *options,
		  struct gotap_error *err)
{
	struct gotap_input in = { .size = sizeof(in), .fd = fd };

	return api_reader_open_input(ret, &in, options, err);
}

int gotap_open_callback(struct gotap_reader **ret, gotap_read_fn *read, void *ctx,
			const struct gotap_read_options *options, struct gotap_error *err)
{
	struct gotap_input in = { .size = sizeof(in), .read = read, .ctx = ctx };

	return api_reader_open_input(ret, &in, options, err);
}

int gotap_open_memory(struct gotap_reader **ret, const void *data, size_t n,
		      const struct gotap_read_options *options, struct gotap_error *err)
{
	struct gotap_input in = { .size = sizeof(in), .data = n ? data : "", .len = n };

	return api_reader_open_input(ret, &in, options, err);
}

void gotap_close(struct gotap_reader *r)
{
	if (!r)
		return;
	trace_reader_close(r->events);
	links_free(r->links);
	forward_free(r->forward);
	free(r->data);
	free(r);
}

/* --- events --- */

/*
 * The result when there is no next event: 0 at the end, else the error of the input, or of the
 * trace.
 */
static int api_reader_stop(struct gotap_reader *r)
{
	struct error err;

	r->last = NULL;
	return trace_reader_stopped(r->events, &err) ? api_error(&r->err, &err) : 0;
}

/* The number of arguments. The reader adds one to some events: see struct trace_event. */
static uint32_t count_args(const struct trace_event *ev)
{
	switch (ev->type) {
	case TRACE_SYNC:
		return 2;
	case EV_CPUSample:
	case EV_STWEnd:
		return 1;
	case EV_UserTaskEnd:
		return 3;
	default:
		return (uint32_t)gotap_kind_nargs(ev->type);
	}
}

int gotap_next(struct gotap_reader *r, struct gotap_event *to, size_t size)
{
	const struct trace_event *ev;
	struct gotap_event e;

	if (trace_reader_next(r->events, &ev) <= 0)
		return api_reader_stop(r);
	r->last = ev;
	if (r->links)
		r->link = links_next(r->links, ev);
	if (ev->type == TRACE_SYNC)
		r->next_data = 0;
	e = (struct gotap_event){
		.time = ev->time, .kind = ev->type, .category = view_kind(ev),
		.nargs = count_args(ev), .m = ev->m, .p = ev->p, .g = ev->g,
		.stack = view_stack(ev), .offset = r->legacy ? 0 : ev->place.offset,
	};
	memcpy(e.args, ev->args, e.nargs * sizeof(e.args[0]));
	api_give(to, size, &e, sizeof(e));
	return 1;
}

const struct gotap_error *gotap_reader_error(const struct gotap_reader *r)
{
	return &r->err;
}

void gotap_reader_info(const struct gotap_reader *r, struct gotap_trace_info *to, size_t size)
{
	const struct v2_generation *gen = trace_reader_generation(r->events);
	struct gotap_trace_info info = { .version = r->version };

	if (gen) {
		info.generation = gen->gen;
		info.has_clock = gen->clock.has_snapshot;
	}
	if (info.has_clock) {
		info.time = clock_ns(&gen->clock, gen->clock.snap_time);
		info.mono_ns = gen->clock.snap_mono;
		info.wall_sec = gen->clock.snap_sec;
		info.wall_nsec = gen->clock.snap_nsec;
	}
	api_give(to, size, &info, sizeof(info));
}

/* --- the meaning of the last event --- */

/* True if the last event has a category from @first to @last. */
static bool api_reader_is_one_of(const struct gotap_reader *r, enum view_kind first,
				 enum view_kind last)
{
	return r->last && view_kind(r->last) >= first && view_kind(r->last) <= last;
}

static struct gotap_text api_reader_text_of(const struct gotap_reader *r, uint64_t id)
{
	struct gotap_text text;

	text.s = gotap_string(r, id, &text.len);
	return text.s ? text : (struct gotap_text){ "", 0 };
}

static int api_reader_give(void *to, size_t size, const void *from, size_t n)
{
	api_give(to, size, from, n);
	return 1;
}

#define GIVE(to, size, value) api_reader_give(to, size, &(value), sizeof(value))

static uint32_t api_reader_state_of(enum resource of, uint8_t state)
{
	return of == RESOURCE_PROC ? API_PROC_STATE(state) : API_GO_STATE(state);
}

int gotap_event_transition(const struct gotap_reader *r, struct gotap_transition *to, size_t size)
{
	struct gotap_transition tr;
	struct view_transition v;

	_Static_assert(GOTAP_PROGRAM == (int)RESOURCE_NONE &&
		       GOTAP_GOROUTINE == (int)RESOURCE_GOROUTINE &&
		       GOTAP_PROC == (int)RESOURCE_PROC, "same numbers");
	if (!api_reader_is_one_of(r, VIEW_STATE_TRANSITION, VIEW_STATE_TRANSITION))
		return 0;
	v = view_transition(r->last);
	tr = (struct gotap_transition){
		.of = v.of,
		.id = v.id,
		.from = api_reader_state_of(v.of, v.from),
		.to = api_reader_state_of(v.of, v.to),
		.stack = v.stack,
		.reason = api_reader_text_of(r, v.reason),
	};
	return GIVE(to, size, tr);
}

_Static_assert(GOTAP_WAIT_CHANNEL == (int)WAIT_CHANNEL && GOTAP_WAIT_SELECT == (int)WAIT_SELECT &&
		       GOTAP_WAIT_SEMAPHORE == (int)WAIT_SEMAPHORE &&
		       GOTAP_WAIT_MUTEX == (int)WAIT_MUTEX &&
		       GOTAP_WAIT_RWMUTEX == (int)WAIT_RWMUTEX &&
		       GOTAP_WAIT_WAITGROUP == (int)WAIT_WAITGROUP &&
		       GOTAP_WAIT_COND == (int)WAIT_COND &&
		       GOTAP_WAIT_NETWORK == (int)WAIT_NETWORK &&
		       GOTAP_WAIT_NETWORK + 1 == (int)WAIT_KINDS &&
		       GOTAP_WAIT_OBJECTS == (int)WAIT_CHANNELS,
	       "same numbers");

static void api_reader_address(char *to, size_t size, const uint8_t address[16], uint16_t port)
{
	struct buf text = {0};

	wait_text_address(&text, address, port);
	snprintf(to, size, "%.*s", (int)text.len, (const char *)text.data);
	buf_free(&text);
}

static void api_reader_socket(struct gotap_wait *wait, const struct trace_socket *s)
{
	if (!s->protocol)
		return;
	snprintf(wait->protocol, sizeof(wait->protocol), "%s", wait_protocol_name(s->protocol));
	api_reader_address(wait->local, sizeof(wait->local), s->local, s->local_port);
	if (s->remote_port)
		api_reader_address(wait->remote, sizeof(wait->remote), s->remote, s->remote_port);
}

int gotap_event_wait(const struct gotap_reader *r, struct gotap_wait *to, size_t size)
{
	struct gotap_wait wait = {0};
	struct trace_wait v;
	unsigned int i;

	if (!r->last || !trace_reader_wait(r->events, r->last, &v))
		return 0;
	wait.kind = v.kind;
	wait.n = v.n;
	wait.more = v.more;
	for (i = 0; i < v.n; i++)
		wait.objects[i] = (struct gotap_wait_object){ wait_address(&v, i),
							      wait_capacity(&v, i) };
	if (v.kind == WAIT_NETWORK)
		api_reader_socket(&wait, &v.network.socket);
	return GIVE(to, size, wait);
}

int gotap_event_range(const struct gotap_reader *r, struct gotap_range *to, size_t size)
{
	struct gotap_range range;
	struct view_range v;
	unsigned int i;

	_Static_assert(GOTAP_RANGE_ATTRS == (int)VIEW_RANGE_ATTRS, "same number");
	if (!api_reader_is_one_of(r, VIEW_RANGE_BEGIN, VIEW_RANGE_END))
		return 0;
	v = view_range(r->last);
	range = (struct gotap_range){
		.name = v.name, .reason = api_reader_text_of(r, v.reason), .of = v.scope,
		.category = view_kind(r->last), .id = v.id, .nattrs = v.nattrs,
	};
	for (i = 0; i < v.nattrs; i++)
		range.attrs[i] = (struct gotap_range_attr){ v.attrs[i].name, v.attrs[i].value };
	return GIVE(to, size, range);
}

int gotap_event_metric(const struct gotap_reader *r, struct gotap_metric *to, size_t size)
{
	struct gotap_metric metric;
	struct view_metric v;

	if (!api_reader_is_one_of(r, VIEW_METRIC, VIEW_METRIC))
		return 0;
	v = view_metric(r->last);
	metric = (struct gotap_metric){ v.name, strchr(v.name, ':') + 1, v.value };
	return GIVE(to, size, metric);
}

int gotap_event_task(const struct gotap_reader *r, struct gotap_task *to, size_t size)
{
	struct gotap_task task;
	struct view_task v;

	if (!api_reader_is_one_of(r, VIEW_TASK_BEGIN, VIEW_TASK_END))
		return 0;
	v = view_task(r->last);
	task = (struct gotap_task){ v.id, v.parent, { v.type.s, v.type.len } };
	return GIVE(to, size, task);
}

int gotap_event_region(const struct gotap_reader *r, struct gotap_region *to, size_t size)
{
	struct gotap_region region;
	struct view_region v;

	if (!api_reader_is_one_of(r, VIEW_REGION_BEGIN, VIEW_REGION_END))
		return 0;
	v = view_region(r->last);
	region = (struct gotap_region){ v.task, api_reader_text_of(r, v.type) };
	return GIVE(to, size, region);
}

int gotap_event_log(const struct gotap_reader *r, struct gotap_log *to, size_t size)
{
	struct gotap_log log;
	struct view_log v;

	if (!api_reader_is_one_of(r, VIEW_LOG, VIEW_LOG))
		return 0;
	v = view_log(r->last);
	log = (struct gotap_log){ v.task, api_reader_text_of(r, v.category),
				  api_reader_text_of(r, v.message) };
	return GIVE(to, size, log);
}

int gotap_event_label(const struct gotap_reader *r, struct gotap_label *to, size_t size)
{
	struct gotap_label label;
	struct view_label v;

	if (!api_reader_is_one_of(r, VIEW_LABEL, VIEW_LABEL))
		return 0;
	v = view_label(r->last);
	label = (struct gotap_label){ .of = v.of,
				      .id = v.id,
				      .label = api_reader_text_of(r, v.label) };
	return GIVE(to, size, label);
}

int gotap_event_link(const struct gotap_reader *r, struct gotap_link *to, size_t size)
{
	struct gotap_link link = { .time = r->link.time, .kind = r->link.type };

	return r->last && link.kind ? GIVE(to, size, link) : 0;
}

int gotap_event_leads_to(const struct gotap_reader *r, struct gotap_link *to, size_t size)
{
	struct event_link later = {0};
	struct gotap_link link;

	if (r->last && r->forward)
		later = forward_of(r->forward, r->last->time);
	link = (struct gotap_link){ .time = later.time, .kind = later.type };
	return link.kind ? GIVE(to, size, link) : 0;
}

/* --- strings and stacks --- */

const char *gotap_string(const struct gotap_reader *r, uint64_t id, size_t *len)
{
	if (!trace_reader_generation(r->events)) {
		*len = 0;
		return id ? NULL : "";
	}
	return trace_reader_string(r->events, id, len);
}

size_t gotap_stack(const struct gotap_reader *r, uint64_t id, struct gotap_frame *frames,
		   size_t size, size_t max)
{
	const struct v2_generation *gen = trace_reader_generation(r->events);
	const struct v2_stack *stack = gen ? tables_stack(&gen->tables, id) : NULL;
	uint32_t i;

	for (i = 0; stack && i < stack->len && i < max; i++) {
		const struct v2_frame *f = tables_frame(&gen->tables, stack, i);
		struct gotap_frame frame = { .pc = f->pc, .line = f->line };

		frame.func = api_reader_text_of(r, f->func);
		frame.file = api_reader_text_of(r, f->file);
		api_give((char *)frames + i * size, size, &frame, sizeof(frame));
	}
	return stack ? stack->len : 0;
}

/* --- data of experiments --- */

int gotap_next_data(struct gotap_reader *r, struct gotap_data *to, size_t size)
{
	const struct v2_generation *gen = trace_reader_generation(r->events);
	const struct v2_experiment *e;
	struct gotap_data data;
	struct error err;

	if (!gen || r->next_data >= gen->experiments.len)
		return 0;
	if (!r->data)
		r->data = xcalloc(TRACEV2_MAX_BATCH, 1);
	e = vec_at(&gen->experiments, struct v2_experiment, r->next_data);
	data = (struct gotap_data){
		.experiment = e->exp, .m = e->m, .time = clock_ns(&gen->clock, e->at.time),
		.data = trace_reader_body(r->events, &e->at, r->data), .len = e->at.size,
	};
	if (!data.data) {
		trace_reader_error(r->events, &err);
		return api_error(&r->err, &err);
	}
	r->next_data++;
	return GIVE(to, size, data);
}
