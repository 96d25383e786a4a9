/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: what the files of `gotap why` share: cmd/why/why.c asks, text.c and json.c print the
 * answer.
 */
#ifndef GOTAP_CMD_WHY_WHY_H
#define GOTAP_CMD_WHY_WHY_H

#include <stdio.h>

#include "cmd/next.h"
#include "why/why.h"

struct why_show {
	struct why_question question;
	bool full;		/* every step */
	bool stacks;
	char **traces;		/* by number */
	struct why_seen *seen;
};

/* What the traces have beside paths, for the commands at the end of an answer. */
struct why_seen {
	struct origin origin;	/* of the first trace that has one */
	bool samples;		/* CPU samples */
};

/* Both leave the first answer at hand (why_turn()). */
void why_text(FILE *f, struct why *w, const struct why_show *show);
/* One object on one line: docs/why.md. */
void why_json(FILE *f, struct why *w, const struct why_show *show);

/* next.c: adds a visitor to @s, which must not outlive @seen. */
void why_see(struct why_seen *seen, struct spans *s);
/* Fills @n with the commands that would add to the answer. @show must outlive it. */
void why_next(const struct why *w, const struct why_show *show, struct next *n);

/* --- words.c: words for both --- */

extern const char *const why_kind_names[STEP_KINDS], *const why_by_names[],
							     *const why_queued_names[];
/* The words for @thread, which is 1 + enum thread_state: "waiting for a CPU". */
const char *why_thread_words(uint8_t thread);
/* "48.2 ms": at least three digits. */
struct why_time {
	char text[32];
};
struct why_time why_time(int64_t ns);
/*
 * "waiting for sync.(*Mutex).Lock at main.get main.go:42 (sync)"; of a frame that there is not:
 * without it.
 */
void why_put_cause(struct buf *b, const struct stack_set *stacks, const struct cause *c);
/* Appends what a wait was for, of a kind that is known: "mutex 0x65a5a0". */
void why_put_object(struct buf *b, const struct trail_object *object);
/* "main.get main.go:42": the file without its folders. */
void why_put_frame(struct buf *b, const struct stack_set *stacks, uint32_t frame);
/* "goroutine 7 main.worker" */
void why_put_goroutine(struct buf *b, uint64_t g, const char *name);
/*
 * Parts in the order of their time, the most first; free it. Those of @root (UINT32_MAX: all), or
 * all roots as sums of their parts.
 */
struct part *why_parts(const struct path *path, uint32_t root, size_t *n);
struct part *why_roots(const struct path *path, size_t *n);

/* --- steps.c: which steps are shown --- */

/* Steps in the order of time: one, or some that are shown as one. */
struct why_line {
	struct step step;	/* of one */
	uint32_t steps;		/* how many */
	int64_t from, to;
	uint32_t mostly;	/* of some: the cause of the most time, and its time */
	uint64_t mostly_ns;
};

typedef void why_line_fn(void *ctx, const struct why_line *line);
/* All steps if they are few or @full, else the longest and between them sums of the others. */
void why_lines(struct path *path, bool full, why_line_fn *fn, void *ctx);

#endif
