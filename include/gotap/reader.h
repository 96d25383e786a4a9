/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: returns the events of a Go execution trace of any release, from before Go 1.5 on. In
 * their order every goroutine, P and thread makes only possible transitions.
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
 * The reader reads traces of Go 1.22 and later as a stream, also from a pipe, and holds one
 * generation (about a second of the program's life) in memory. Older traces have their tables at
 * the end: the reader reads such a trace into memory when it opens the trace, and shows its events
 * in the form of Go 1.22.
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
	 * The traced program, or NULL. It gives the names of frames in traces before Go 1.7, which
	 * have addresses only. The reader does not use it for later traces.
	 */
	const char *binary;
	/* 1: gotap_event_link() returns links; this needs memory for each goroutine */
	int links;
	/*
	 * 1: gotap_event_leads_to() returns links. The reader then reads the trace twice, so the
	 * trace must be a path or memory. Each event that leads to a later one needs about 40
	 * bytes.
	 */
	int forward;
};

struct gotap_event {
	int64_t time;		/* in ns on the clock of the traced program, strictly increasing */
	uint32_t kind;		/* enum gotap_kind; a later library may return more kinds */
	/* enum gotap_category, for which a function gotap_event_...() returns details */
	uint32_t category;
	uint64_t args[GOTAP_MAX_ARGS];	/* in the order of gotap/event.h */
	uint32_t nargs;
	uint32_t unused;
	/* thread, P, goroutine before the effect of the event, or GOTAP_NONE */
	uint64_t m, p, g;
	uint64_t stack;		/* id of the stack on which the event happened, 0: none */
	uint64_t offset;	/* byte offset in the file; 0 in traces before Go 1.22 */
};

struct gotap_trace_info {
	int version;		/* NN of the header go 1.NN; 4: the format before Go 1.5 */
	int has_clock;		/* 1: the four clocks below are set (headers 1.25 and later) */
	uint64_t generation;	/* generation of the last event, 0: none */
	int64_t time;		/* a time on the clock of the events */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC at that instant, in ns */
	uint64_t wall_sec, wall_nsec;	/* time of day at that instant */
};

/* --- opening and closing --- */

/*
 * Opens the trace at @path; "-" is standard input. @options may be NULL. gotap_close() frees *@ret.
 * Returns 0 or:
 *   -EINVAL	the file is not a trace, or binary is not a Go program
 *   -ENOTSUP	the trace is of an unknown release
 *   -EBADMSG, -ENODATA, -EINVAL	a trace before Go 1.22 is damaged or incomplete
 *   -EPROTO	the events of a trace before Go 1.22 contradict each other
 *   -EOVERFLOW	a trace before Go 1.22 has more than 4 billion events
 *   -ESPIPE	forward is set, and the trace cannot be read twice
 *   or the negative errno of open(2) or read(2)
 */
GOTAP_API int gotap_open(struct gotap_reader **ret, const char *path,
			 const struct gotap_read_options *options, struct gotap_error *err);
/*
 * Reads the descriptor @fd from its current position. The position is undefined until
 * gotap_close(), after which the caller closes @fd. Errors are those of gotap_open().
 */
GOTAP_API int gotap_open_fd(struct gotap_reader **ret, int fd,
			    const struct gotap_read_options *options, struct gotap_error *err);
/*
 * Reads the trace from @read, which this function, gotap_next() and gotap_next_data() call with
 * @ctx. Errors are those of gotap_open(), and each error of @read.
 */
GOTAP_API int gotap_open_callback(struct gotap_reader **ret, gotap_read_fn *read, void *ctx,
				  const struct gotap_read_options *options,
				  struct gotap_error *err);
/* Reads the @n bytes at @data, which must outlive the reader. Errors are those of gotap_open(). */
GOTAP_API int gotap_open_memory(struct gotap_reader **ret, const void *data, size_t n,
				const struct gotap_read_options *options,
				struct gotap_error *err);
/* Closes the trace and frees @r, which may be NULL. */
GOTAP_API void gotap_close(struct gotap_reader *r);

/* --- events --- */

/*
 * Returns 1 with the next event in @ev, or 0 at the end of the trace. @size is sizeof(*@ev).
 * -EBADMSG: the trace is damaged here; -ESTALE: the file changes while it is read; or the negative
 * errno of read(2) or of the caller's read function. After an error every further call returns the
 * same error. Events before an error are valid.
 */
GOTAP_API int gotap_next(struct gotap_reader *r, struct gotap_event *ev, size_t size);
/* The error of gotap_next() or gotap_next_data(): place, event, rule. Valid until gotap_close(). */
GOTAP_API const struct gotap_error *gotap_reader_error(const struct gotap_reader *r);

/*
 * Fills @info with facts about the trace and the generation of the last event. @size is
 * sizeof(*@info).
 */
GOTAP_API void gotap_reader_info(const struct gotap_reader *r, struct gotap_trace_info *info,
				 size_t size);

/* --- the meaning of the last event --- */

/*
 * Each function gotap_event_...() below fills a struct with the meaning of the last event of
 * gotap_next(). @size is the size of the struct. It returns 1 if the event is of the function's
 * category, else 0, without a change to the struct. The reader owns the texts of the struct, which
 * are valid until the next call of gotap_next(). The structs have the content of the methods with
 * the same names of trace.Event of Go 1.27 (internal/trace/event.go).
 */

enum gotap_resource {
	GOTAP_PROGRAM = 0,
	GOTAP_GOROUTINE = 1,
	GOTAP_PROC = 2
};

/*
 * GOTAP_IS_TRANSITION: a change of state. The goroutine or P that changes need not be the one on
 * which the event happened.
 */
struct gotap_transition {
	uint32_t of;		/* enum gotap_resource: GOTAP_GOROUTINE or GOTAP_PROC */
	uint32_t from, to;	/* enum gotap_state */
	uint32_t unused;
	uint64_t id;
	uint64_t stack;		/* id of the stack of the goroutine that changes, 0: not known */
	struct gotap_text reason;	/* "chan receive", "preempted"; "" for most transitions */
};

enum { GOTAP_RANGE_ATTRS = 2 };

struct gotap_range_attr {
	const char *name;	/* "bytes swept" */
	uint64_t value;
};

/* GOTAP_IS_RANGE_BEGIN, _ACTIVE and _END: a range. */
struct gotap_range {
	const char *name;	/* "stop-the-world", "GC mark assist" */
	struct gotap_text reason;	/* of a stop-the-world; Go shows both as NAME (REASON) */
	uint32_t of;		/* enum gotap_resource in which the range happens */
	uint32_t category;	/* gotap_event.category */
	uint64_t id;		/* goroutine or P; GOTAP_NONE for GOTAP_PROGRAM */
	uint32_t nattrs;	/* attributes, which only the end of a range has */
	uint32_t unused;
	struct gotap_range_attr attrs[GOTAP_RANGE_ATTRS];
};

/* GOTAP_IS_METRIC: a value of a metric. */
struct gotap_metric {
	const char *name;	/* name in runtime/metrics: "/gc/heap/goal:bytes" */
	const char *unit;	/* the part of the name after the colon: "bytes", "threads" */
	uint64_t value;
};

/* GOTAP_IS_TASK_BEGIN and _END: a task of the package runtime/trace. */
struct gotap_task {
	uint64_t id;
	uint64_t parent;	/* GOTAP_NONE: no parent, or not known */
	struct gotap_text type;	/* "" at the end of a task that began before the trace */
};

/* GOTAP_IS_REGION_BEGIN and _END: a region of the package runtime/trace. */
struct gotap_region {
	uint64_t task;		/* 0: no task */
	struct gotap_text type;
};

/* GOTAP_IS_LOG: a message of trace.Log of the package runtime/trace. */
struct gotap_log {
	uint64_t task;		/* 0: no task */
	struct gotap_text category, message;
};

/* GOTAP_IS_LABEL: a label that the runtime sets on a goroutine. */
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
 * range, region or task it is the begin. For a state that began before the trace it is the event
 * GoStatus or ProcStatus.
 */
struct gotap_link {
	/* time of the linked event; no two events of a trace have the same time */
	int64_t time;
	uint32_t kind;		/* enum gotap_kind */
	uint32_t unused;
};

/* The kind of object that a goroutine waits for. */
enum gotap_wait_kind {
	GOTAP_WAIT_CHANNEL = 1,
	GOTAP_WAIT_SELECT = 2,		/* several channels */
	/* a lock of which the type is not known: the address of its semaphore */
	GOTAP_WAIT_SEMAPHORE = 3,
	GOTAP_WAIT_MUTEX = 4,
	GOTAP_WAIT_RWMUTEX = 5,
	GOTAP_WAIT_WAITGROUP = 6,
	GOTAP_WAIT_COND = 7,
	GOTAP_WAIT_NETWORK = 8		/* a file descriptor */
};

enum { GOTAP_WAIT_OBJECTS = 8 };

struct gotap_wait_object {
	/* in the memory of the program; of GOTAP_WAIT_NETWORK the number of the descriptor */
	uint64_t address;
	/* of a channel, in elements; 65534 stands for larger ones, too; -1: no channel */
	int64_t capacity;
};

/*
 * The objects that a goroutine waits for. An address identifies an object until its memory is
 * freed: another object may have the same address later.
 */
struct gotap_wait {
	uint32_t kind;		/* enum gotap_wait_kind */
	uint32_t n;		/* objects: 1, or those of a select */
	uint32_t more;		/* 1: the select has further channels */
	uint32_t unused;
	struct gotap_wait_object objects[GOTAP_WAIT_OBJECTS];
	/*
	 * The socket of GOTAP_WAIT_NETWORK: "tcp" or "udp", "127.0.0.1:80" or "[::1]:80"; "": not
	 * known, or no remote address.
	 */
	char protocol[8], local[56], remote[56];
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
/*
 * Gets the objects that a goroutine waits for after the last event: a GOTAP_GO_BLOCK, or the
 * status of a waiting goroutine. Returns 0 for other events, and where the trace has no such
 * objects: traces of gotap have them, Go's own do not (docs/traceformat.md).
 */
GOTAP_API int gotap_event_wait(const struct gotap_reader *r, struct gotap_wait *wait, size_t size);
/*
 * Returns 1 if the last event, of any category, has a link to an earlier one, else 0. Always 0 if
 * gotap_read_options.links was not set.
 */
GOTAP_API int gotap_event_link(const struct gotap_reader *r, struct gotap_link *link, size_t size);
/*
 * Fills @link with the later event that ends or follows the last event: for GOTAP_GO_CREATE the
 * GOTAP_GO_START. Returns 1 if the trace has such an event, else 0. Always 0 if
 * gotap_read_options.forward was not set.
 */
GOTAP_API int gotap_event_leads_to(const struct gotap_reader *r, struct gotap_link *link,
				   size_t size);

/* --- strings and stacks --- */

/*
 * Ids of strings and stacks belong to the generation of the last event. The reader owns the texts
 * that these functions return, which are valid until the next call of gotap_next().
 */

/*
 * The text of string @id, with its length in *@len and without a NUL. "" for id 0; NULL if the
 * generation has no such string.
 */
GOTAP_API const char *gotap_string(const struct gotap_reader *r, uint64_t id, size_t *len);
/*
 * Puts at most @max frames of stack @id into @frames, leaf first. @size is sizeof(struct
 * gotap_frame). Returns the number of frames that the stack has, 0 if there is no such stack.
 */
GOTAP_API size_t gotap_stack(const struct gotap_reader *r, uint64_t id,
			     struct gotap_frame *frames, size_t size, size_t max);

/* --- data of experiments --- */

/* A batch of data of an experiment. Only the experiment defines the content. */
struct gotap_data {
	uint32_t experiment;	/* enum gotap_experiment, or another number below 256 */
	uint32_t unused;
	uint64_t m;		/* the thread that wrote the batch, GOTAP_NONE: none */
	int64_t time;		/* in ns, on the clock of gotap_event.time */
	const void *data;
	size_t len;		/* in bytes, at most 65536 */
};

/*
 * Returns 1 with the next batch of experimental data of the last event's generation in @data, or 0
 * after the last batch and outside of a generation. @size is sizeof(*@data). All batches of a
 * generation are available after its Sync event. The bytes are valid until the next call of this
 * function or of gotap_next(). -ESTALE: the file has changed; or the negative errno of read(2).
 * Go's reader returns the same data as Sync.ExperimentalBatches.
 */
GOTAP_API int gotap_next_data(struct gotap_reader *r, struct gotap_data *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
