// SPDX-License-Identifier: Apache-2.0
/*
 * writer: see gotap/writer.h. Checks the calls of a program, then calls the writer of trace files,
 * which does not check its callers.
 */
#include "gotap/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "read/raw_spec.h"
#include "trace/tracefile.h"

/* First of the pcs that the library invents: no program has code there. */
#define MADE_UP_PC (1ULL << 60)

struct stack {
	size_t first, n;	/* in gotap_writer.frames */
};

/* The key of a frame: equal bytes are equal frames. The struct has no padding. */
struct frame_key {
	uint64_t pc, line;
	const char *func, *file;	/* pointers of gotap_writer.texts */
};

struct gotap_writer {
	struct tracefile *tf;
	struct raw_specs specs;
	int version;
	bool open;
	bool has_events;	/* in any generation */
	bool has_clock;
	struct trace_clock clock;
	uint64_t first;		/* time of the first event of the generation, 0: none yet */
	uint64_t strings, stacks;	/* greatest ids of the generation */
	struct map64 last;	/* thread -> time of its last event */
	struct strset *texts;
	struct strset *keys;	/* keys of frames and stacks, as bytes */
	struct map64 frame_pcs;	/* address of a frame's key -> pc of the frame in the trace */
	struct map64 pcs;	/* pc -> address of the frame key to which it belongs */
	struct map64 stack_ids;	/* address of a stack's key -> index in stack_list + 1 */
	struct vec stack_list;	/* struct stack */
	struct vec frames;	/* struct trace_frame */
	uint64_t next_pc;
	struct error err;
	struct error failed;	/* the first write(2) that failed: the trace is incomplete */
};

/* --- stacks --- */

/* trace_frames_fn; a key is an index in stack_list + 1. */
static size_t api_writer_frames_of(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	const struct gotap_writer *w = ctx;
	const struct stack *st = vec_at(&w->stack_list, struct stack, key - 1);
	size_t n = st->n < max ? st->n : max;

	memcpy(out, vec_at(&w->frames, struct trace_frame, st->first), n * sizeof(*out));
	return n;
}

static const char *keep_text(struct gotap_writer *w, struct gotap_text text)
{
	return strset_add(w->texts, text.s ? text.s : "", text.s ? text.len : 0);
}

/* The pc with which readers will find exactly this frame. */
static uint64_t pc_of(struct gotap_writer *w, const struct frame_key *key)
{
	uintptr_t kept = (uintptr_t)strset_add_bytes(w->keys, (const char *)key, sizeof(*key));
	bool is_new;
	uint64_t pc = key->pc, *slot = map64_put(&w->frame_pcs, kept, &is_new);

	if (!is_new)
		return *slot;
	while (!pc || map64_get(&w->pcs, pc))
		pc = w->next_pc++;
	*slot = pc;
	*map64_put(&w->pcs, pc, NULL) = kept;
	return pc;
}

static struct trace_frame api_writer_take_frame(struct gotap_writer *w,
						const struct gotap_frame *from, size_t size)
{
	struct gotap_frame f;
	struct frame_key key;

	api_take(&f, sizeof(f), from, size);
	key.pc = f.pc;
	key.line = f.line;
	key.func = keep_text(w, f.func);
	key.file = keep_text(w, f.file);
	return (struct trace_frame){ pc_of(w, &key), key.func, key.file, key.line };
}

/* 1 + the index in stack_list of the stack with these frames. Equal stacks share one index. */
static uint64_t api_writer_stack_key(struct gotap_writer *w, const struct trace_frame *frames,
				     size_t n)
{
	uint64_t pcs[TRACEV2_MAX_FRAMES], *slot;
	struct stack *st;
	bool is_new;
	size_t i;

	for (i = 0; i < n; i++)
		pcs[i] = frames[i].pc;
	slot = map64_put(&w->stack_ids,
			 (uintptr_t)strset_add_bytes(w->keys, (const char *)pcs, n * 8), &is_new);
	if (!is_new)
		return *slot;
	st = vec_push(&w->stack_list, sizeof(*st));
	*st = (struct stack){ w->frames.len, n };
	for (i = 0; i < n; i++)
		*(struct trace_frame *)vec_push(&w->frames, sizeof(*frames)) = frames[i];
	*slot = w->stack_list.len;
	return *slot;
}

static int not_open(struct gotap_writer *w)
{
	return error_set(&w->err, -EINVAL, "no generation is open");
}

int64_t gotap_write_stack(struct gotap_writer *w, const struct gotap_frame *frames, size_t size,
			  size_t n)
{
	struct trace_frame taken[TRACEV2_MAX_FRAMES];
	uint64_t id;
	size_t i;

	if (!w->open)
		return not_open(w);
	if (n > TRACEV2_MAX_FRAMES)
		n = TRACEV2_MAX_FRAMES;
	if (!n)
		return 0;
	for (i = 0; i < n; i++)
		taken[i] = api_writer_take_frame(w, (const void *)((const char *)frames + i * size),
						 size);
	id = tracefile_stack(w->tf, api_writer_stack_key(w, taken, n));
	if (id > w->stacks)
		w->stacks = id;
	return (int64_t)id;
}

int64_t gotap_write_string(struct gotap_writer *w, const char *text, size_t n)
{
	uint64_t id;

	if (!w->open)
		return not_open(w);
	id = n ? tracefile_bytes(w->tf, text, n) : 0;
	if (id > w->strings)
		w->strings = id;
	return (int64_t)id;
}

/* --- events --- */

static int check_id(struct gotap_writer *w, const char *what, uint64_t id, uint64_t max)
{
	if (id <= max)
		return 0;
	return error_set(&w->err, -EINVAL, "the generation has no %s %llu", what,
			 (unsigned long long)id);
}

static int check_ids(struct gotap_writer *w, const struct raw_spec *spec, const uint64_t *args)
{
	unsigned int i;
	int ret = 0;

	if (spec->stack)
		ret = check_id(w, "stack", args[spec->stack - 1], w->stacks);
	if (!ret && spec->new_stack)
		ret = check_id(w, "stack", args[spec->new_stack - 1], w->stacks);
	for (i = 1; !ret && i < spec->nargs; i++)
		if (spec->strings & 1 << i)
			ret = check_id(w, "string", args[i - 1], w->strings);
	return ret;
}

static int api_writer_check_time(struct gotap_writer *w, uint64_t time)
{
	if (!w->open)
		return not_open(w);
	if (!time || time > INT64_MAX)
		return error_set(&w->err, -EINVAL, "there is no time %llu",
				 (unsigned long long)time);
	if (!w->first || time < w->first)
		w->first = time;
	return 0;
}

static int check_order(struct gotap_writer *w, uint64_t m, uint64_t time)
{
	uint64_t *last = map64_put(&w->last, m, NULL);

	if (time < *last)
		return error_set(&w->err, -EINVAL, "thread %llu has an event at %llu already",
				 (unsigned long long)m, (unsigned long long)*last);
	*last = time;
	return 0;
}

/* For an event with a status argument: the index of the argument; *@last is the greatest status. */
static int status_place(unsigned int kind, uint64_t *last)
{
	switch (kind) {
	case EV_GoStatus:
	case EV_GoStatusStack:
		*last = GOTAP_STATUS_GO_WAITING;
		return 2;
	case EV_ProcStatus:
		*last = GOTAP_STATUS_PROC_SYSCALL_ABANDONED;
		return 1;
	default:
		return -1;
	}
}

/*
 * Fails with -EINVAL. A state of the reader in place of a status is a likely mistake: the text
 * names the status to use.
 */
static int bad_status(struct gotap_writer *w, unsigned int kind, uint64_t status)
{
	bool of_p = kind == EV_ProcStatus;
	const char *state = status < UINT32_MAX ? gotap_state_name((unsigned int)status) : NULL;

	return error_set(
		&w->err, -EINVAL, "%llu%s%s%s is no status of a %s, use GOTAP_STATUS_%s_...",
		(unsigned long long)status, state ? ", the state " : "", state ? state : "",
		state ? "," : "", of_p ? "P" : "goroutine", of_p ? "PROC" : "GO");
}

static int check_status(struct gotap_writer *w, unsigned int kind, const uint64_t *args)
{
	uint64_t last;
	int at = status_place(kind, &last);

	if (at < 0 || (args[at] && args[at] <= last))
		return 0;
	return bad_status(w, kind, args[at]);
}

int gotap_write(struct gotap_writer *w, uint64_t m, uint64_t time, unsigned int kind,
		unsigned int nargs, const uint64_t *args)
{
	const struct raw_spec *spec = raw_spec_get(&w->specs, kind, w->version);
	int ret;

	if (!spec || gotap_kind_nargs(kind) < 0)
		return error_set(&w->err, -EINVAL, "header go 1.%d has no event %u", w->version,
				 kind);
	if (nargs + 1 != spec->nargs)
		return error_set(&w->err, -EINVAL, "%s has %u arguments, not %u", spec->name,
				 spec->nargs - 1u, nargs);
	ret = check_status(w, kind, args);
	if (!ret)
		ret = check_ids(w, spec, args);
	if (!ret)
		ret = api_writer_check_time(w, time);
	if (!ret)
		ret = check_order(w, m, time);
	if (ret)
		return ret;
	trace_emit_args(tracefile_stream(w->tf, m), time, (enum tracev2_event)kind, (int)nargs,
			args);
	w->has_events = true;
	return 0;
}

int gotap_write_sample(struct gotap_writer *w, uint64_t m, uint64_t time, uint64_t p, uint64_t g,
		       uint64_t stack)
{
	int ret = check_id(w, "stack", stack, w->stacks);

	if (!ret)
		ret = api_writer_check_time(w, time);
	if (!ret)
		tracefile_cpu_sample(w->tf, time, m, p, g == GOTAP_NONE ? 0 : g, stack);
	return ret;
}

int gotap_write_data(struct gotap_writer *w, uint64_t m, uint64_t time, unsigned int experiment,
		     const void *data, size_t n)
{
	int ret;

	if (w->version < 23)
		return error_set(&w->err, -EINVAL, "header go 1.%d has no data of experiments",
				 w->version);
	if (!gotap_experiment_name(experiment))
		return error_set(&w->err, -EINVAL, "there is no experiment %u", experiment);
	if (n > TRACEV2_MAX_BATCH)
		return error_set(&w->err, -EINVAL, "%zu bytes are too many for a batch, which has "
				 "at most %d", n, TRACEV2_MAX_BATCH);
	ret = api_writer_check_time(w, time);
	if (!ret)
		tracefile_experiment(w->tf, (uint8_t)experiment, m, time, n ? data : "", n);
	return ret;
}

/* --- generations --- */

static int api_writer_end_generation(struct gotap_writer *w)
{
	uint64_t time = w->first ? w->first : 1;
	/* Without a clock of the caller, wall time begins at second 1 of 1970. */
	struct trace_clock made_up = { time, time, 1 + time / 1000000000, time % 1000000000 };

	if (w->open && !w->failed.code)
		tracefile_gen_end(w->tf, w->has_clock ? &w->clock : &made_up, &w->failed);
	w->open = false;
	if (w->failed.code)
		w->err = w->failed;
	return w->failed.code;
}

int gotap_generation(struct gotap_writer *w, const struct gotap_clock *clock)
{
	int ret = api_writer_end_generation(w);

	if (ret)
		return ret;
	w->first = w->strings = w->stacks = 0;
	w->has_clock = clock != NULL;
	if (clock)
		w->clock = (struct trace_clock){ clock->time, clock->mono_ns, clock->wall_sec,
						 clock->wall_nsec };
	tracefile_gen_begin(w->tf);
	w->open = true;
	return 0;
}

int gotap_writer_new(struct gotap_writer **ret, int fd, const struct gotap_write_options *options,
		     struct gotap_error *gerr)
{
	struct gotap_writer *w = xcalloc(1, sizeof(*w));
	struct gotap_write_options o = {0};
	struct tracefile_opts opts = { .frames = api_writer_frames_of, .ctx = w };
	struct error err;

	if (options)
		api_take(&o, sizeof(o), options, options->size);
	opts.version = w->version = o.version ? o.version : 25;
	if (tracefile_new(&w->tf, fd, &opts, &err)) {
		free(w);
		return api_error(gerr, &err);
	}
	raw_specs_init(&w->specs);
	w->texts = strset_new();
	w->keys = strset_new();
	w->next_pc = MADE_UP_PC;
	*ret = w;
	return 0;
}

const struct gotap_error *gotap_writer_error(const struct gotap_writer *w)
{
	return api_error_view(&w->err);
}

int gotap_writer_close(struct gotap_writer *w, struct gotap_error *gerr)
{
	int ret = api_writer_end_generation(w);

	if (!ret && !w->has_events)
		ret = error_set(&w->err, -EINVAL, "a trace has at least one event");
	if (ret)
		api_error(gerr, &w->err);
	gotap_writer_free(w);
	return ret;
}

void gotap_writer_free(struct gotap_writer *w)
{
	if (!w)
		return;
	tracefile_free(w->tf);
	strset_free(w->texts);
	strset_free(w->keys);
	map64_free(&w->last);
	map64_free(&w->frame_pcs);
	map64_free(&w->pcs);
	map64_free(&w->stack_ids);
	vec_free(&w->stack_list);
	vec_free(&w->frames);
	free(w);
}
