/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: the events of a Go execution trace of any release, from before Go 1.5
 * on, in an order in which every goroutine, P and thread makes only possible
 * steps.
 *
 *	struct gotap_reader *r;
 *	struct gotap_event ev;
 *	struct gotap_transition tr;
 *	struct gotap_error err;
 *	int ret;
 *
 *	if (gotap_open(&r, "trace.out", NULL, &err))
 *		errx(1, "%s", err.text);
 *	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0)
 *		if (gotap_event_transition(r, &tr, sizeof(tr)) && tr.of == GOTAP_GOROUTINE)
 *			printf("%lld goroutine %llu: %s\n", (long long)ev.time,
 *			       (unsigned long long)tr.id, gotap_state_name(tr.to));
 *	if (ret < 0)
 *		errx(1, "%s", gotap_reader_error(r)->text);
 *	gotap_close(r);
 *
 * Traces of Go 1.22 and later are read as they come, from a pipe too, in the
 * memory that one generation (about a second of the program's life) needs.
 * Older ones have their tables at the end: they are read whole when they are
 * opened and shown as Go 1.22 would have written them.
 */
#ifndef GOTAP_READER_H
#define GOTAP_READER_H

#include <gotap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotap_reader;

struct gotap_read_options {
	size_t size;		/* sizeof(struct gotap_read_options) */
	/*
	 * The traced program, or NULL: names the frames of traces before
	 * Go 1.7, which hold addresses only. Not used for others.
	 */
	const char *binary;
	/* 1: gotap_event_link() is wanted, which needs some memory for each goroutine */
	int links;
	/*
	 * 1: gotap_event_leads_to() is wanted. The trace is read once more, when it is opened: from
	 * a path or memory. In memory are about 40 bytes for each event that leads to another one.
	 */
	int forward;
};

struct gotap_event {
	int64_t time;		/* ns on the clock of the traced program, strictly increasing */
	uint32_t kind;		/* enum gotap_kind; a later library may give more */
	uint32_t category;	/* enum gotap_category: which gotap_event_...() says more */
	uint64_t args[GOTAP_MAX_ARGS];	/* as gotap/event.h lists them */
	uint32_t nargs;
	uint32_t unused;
	uint64_t m, p, g;	/* where it happened, before its effect; GOTAP_NONE = nowhere */
	uint64_t stack;		/* id of where the program was, 0 = not known */
	uint64_t offset;	/* in the file; 0 in traces before Go 1.22 */
};

struct gotap_trace_info {
	int version;		/* NN of the file's header go 1.NN; 4 for those before Go 1.5 */
	int has_clock;		/* the following holds (headers 1.25 and later) */
	uint64_t generation;	/* of the last event, 0 outside of one */
	int64_t time;		/* an event's time ... */
	uint64_t mono_ns;	/* ... CLOCK_MONOTONIC at that instant ... */
	uint64_t wall_sec, wall_nsec;	/* ... and the time of day */
};

/* --- opening and closing --- */

/*
 * Opens the trace at @path, "-" for standard input. @options may be NULL.
 * -EINVAL: no trace, or binary is no Go program; -ENOTSUP: of a release that is not known;
 * of a trace before Go 1.22 -EBADMSG, -ENODATA or -EINVAL: it is damaged or breaks off, -EPROTO:
 * its events contradict each other, -EOVERFLOW: it has more than 4 billion; -ESPIPE: forward is
 * set and the trace cannot be read twice; else the errno of open(2) or read(2).
 */
GOTAP_API int gotap_open(struct gotap_reader **ret, const char *path,
			 const struct gotap_read_options *options, struct gotap_error *err);
/*
 * Reads the descriptor @fd from where it stands, and no further than it must. It stays
 * the caller's, who closes it after gotap_close(); its position is undefined meanwhile.
 * Errors are those of gotap_open().
 */
GOTAP_API int gotap_open_fd(struct gotap_reader **ret, int fd,
			    const struct gotap_read_options *options, struct gotap_error *err);
/*
 * Reads what @read gives, which is called with @ctx by this function, gotap_next() and
 * gotap_next_data(). Errors are those of gotap_open(); one that @read returns is passed on.
 */
GOTAP_API int gotap_open_callback(struct gotap_reader **ret, gotap_read_fn *read, void *ctx,
				  const struct gotap_read_options *options,
				  struct gotap_error *err);
/* Reads the @n bytes at @data, which must outlive the reader. Errors are those of gotap_open(). */
GOTAP_API int gotap_open_memory(struct gotap_reader **ret, const void *data, size_t n,
				const struct gotap_read_options *options,
				struct gotap_error *err);
/* Accepts NULL. */
GOTAP_API void gotap_close(struct gotap_reader *r);

/* --- events --- */

/*
 * 1 and the next event in @ev, of which @size is the size; 0 at the end. -EBADMSG
 * where the trace is damaged, -ESTALE if the file changes while it is read, or the
 * errno of read(2) or of the caller's read function, and the same from then on.
 * What came before is as good as ever.
 */
GOTAP_API int gotap_next(struct gotap_reader *r, struct gotap_event *ev, size_t size);
/* What gotap_next() or gotap_next_data() met: place, event, rule. Holds until gotap_close(). */
GOTAP_API const struct gotap_error *gotap_reader_error(const struct gotap_reader *r);

/* About the trace and the generation of the last event; @size is that of @info. */
GOTAP_API void gotap_reader_info(const struct gotap_reader *r, struct gotap_trace_info *info,
				 size_t size);

/* --- what the last event means --- */

/*
 * These fill a struct, of which @size is the size, for the last event of gotap_next(): 1 if
 * the event is one of that category, else 0, and the struct is left alone. What the structs
 * refer to holds until the next call of gotap_next(). They show what the methods of
 * trace.Event of Go 1.27 show that have the same names (internal/trace/event.go).
 */

enum gotap_resource {
	GOTAP_PROGRAM = 0,
	GOTAP_GOROUTINE = 1,
	GOTAP_PROC = 2
};

/*
 * GOTAP_IS_TRANSITION: a change of state. It may be that of another goroutine or P than the
 * event's.
 */
struct gotap_transition {
	uint32_t of;		/* enum gotap_resource: GOTAP_GOROUTINE or GOTAP_PROC */
	uint32_t from, to;	/* enum gotap_state */
	uint32_t unused;
	uint64_t id;
	uint64_t stack;		/* id of where that is which changes, 0 = not known */
	struct gotap_text reason;	/* "chan receive", "preempted"; "" for most */
};

enum { GOTAP_RANGE_ATTRS = 2 };

struct gotap_range_attr {
	const char *name;	/* "bytes swept" */
	uint64_t value;
};

/* GOTAP_IS_RANGE_BEGIN, _ACTIVE and _END: a range. */
struct gotap_range {
	const char *name;	/* "stop-the-world", "GC mark assist" */
	struct gotap_text reason;	/* of a stop-the-world; Go shows NAME (REASON) */
	uint32_t of;		/* enum gotap_resource: to whom it happens */
	uint32_t category;	/* that of the event */
	uint64_t id;		/* of the goroutine or P; GOTAP_NONE of the whole program */
	uint32_t nattrs;	/* of its end */
	uint32_t unused;
	struct gotap_range_attr attrs[GOTAP_RANGE_ATTRS];
};

/* GOTAP_IS_METRIC: a value of a metric. */
struct gotap_metric {
	const char *name;	/* that of runtime/metrics: "/gc/heap/goal:bytes" */
	const char *unit;	/* behind its colon: "bytes", "threads" */
	uint64_t value;
};

/* GOTAP_IS_TASK_BEGIN and _END: a task of the package runtime/trace. */
struct gotap_task {
	uint64_t id;
	uint64_t parent;	/* GOTAP_NONE: none, or not known */
	struct gotap_text type;	/* "" at the end of one that began before the trace */
};

/* GOTAP_IS_REGION_BEGIN and _END: a region of the package runtime/trace. */
struct gotap_region {
	uint64_t task;		/* 0: of none */
	struct gotap_text type;
};

/* GOTAP_IS_LOG: a message that the program logs (trace.Log). */
struct gotap_log {
	uint64_t task;		/* 0: of none */
	struct gotap_text category, message;
};

/* GOTAP_IS_LABEL: a label of a goroutine. */
struct gotap_label {
	uint32_t of;		/* enum gotap_resource: GOTAP_GOROUTINE */
	uint32_t unused;
	uint64_t id;
	struct gotap_text label;
};

/*
 * The earlier event that an event ends or follows. For a transition it is the event that brought
 * the goroutine or P into the state that the transition ends: for GOTAP_GO_START a GOTAP_GO_CREATE,
 * GOTAP_GO_UNBLOCK or GOTAP_GO_STOP, for GOTAP_GO_UNBLOCK the GOTAP_GO_BLOCK. For the end of a
 * range, region or task it is its begin. A status stands for all events before the trace.
 */
struct gotap_link {
	int64_t time;		/* that of the earlier event, which no other one has */
	uint32_t kind;		/* enum gotap_kind */
	uint32_t unused;
};

GOTAP_API int gotap_event_transition(const struct gotap_reader *r, struct gotap_transition *tr,
				     size_t size);
GOTAP_API int gotap_event_range(const struct gotap_reader *r, struct gotap_range *range,
				size_t size);
GOTAP_API int gotap_event_metric(const struct gotap_reader *r, struct gotap_metric *metric,
				 size_t size);
GOTAP_API int gotap_event_task(const struct gotap_reader *r, struct gotap_task *task,
			       size_t size);
GOTAP_API int gotap_event_region(const struct gotap_reader *r, struct gotap_region *region,
				 size_t size);
GOTAP_API int gotap_event_log(const struct gotap_reader *r, struct gotap_log *log, size_t size);
GOTAP_API int gotap_event_label(const struct gotap_reader *r, struct gotap_label *label,
				size_t size);
/* 1 for an event of any category that has a link; 0 for all unless links was set at the opening. */
GOTAP_API int gotap_event_link(const struct gotap_reader *r, struct gotap_link *link, size_t size);
/*
 * The later event that ends or follows the last one: for GOTAP_GO_CREATE the GOTAP_GO_START. 1 if
 * there is one in the trace; 0 for all unless forward was set at the opening.
 */
GOTAP_API int gotap_event_leads_to(const struct gotap_reader *r, struct gotap_link *link,
				   size_t size);

/* --- strings and stacks --- */

/*
 * Ids of strings and stacks belong to the generation of the last event: what
 * these give holds until the next call of gotap_next().
 */

/* The text of string @id, @len bytes without a NUL; "" for 0; NULL if there is none. */
GOTAP_API const char *gotap_string(const struct gotap_reader *r, uint64_t id, size_t *len);
/*
 * Number of frames of stack @id, of which at most @max are put to @frames, leaf
 * first; @size is sizeof(struct gotap_frame). 0 if there is no such stack.
 */
GOTAP_API size_t gotap_stack(const struct gotap_reader *r, uint64_t id,
			     struct gotap_frame *frames, size_t size, size_t max);

/* --- data of experiments --- */

/* A batch, of which only the experiment knows what is in it. */
struct gotap_data {
	uint32_t experiment;	/* enum gotap_experiment; a trace can have any number below 256 */
	uint32_t unused;
	uint64_t m;		/* the thread that wrote it, GOTAP_NONE = none */
	int64_t time;		/* ns, as events have it */
	const void *data;
	size_t len;		/* bytes, at most 65536 */
};

/*
 * 1 and the next batch of data of experiments that the generation of the last event has, in
 * @data, of which @size is the size; 0 when all have been given, and outside of a generation.
 * Each generation begins anew: after its Sync event all of its batches are there. The bytes
 * hold until the next call of this function or gotap_next(). -ESTALE or the errno of
 * read(2) if they can no longer be read. Go gives them as Sync.ExperimentalBatches.
 */
GOTAP_API int gotap_next_data(struct gotap_reader *r, struct gotap_data *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
