/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labelled: which goroutines and tasks have a profiler label (read/labels.h) with a value, for
 * `--label KEY=VALUE`. A goroutine has the labels that it has set, or got from its creator. A task
 * has a label if the goroutine that began it has it then, or a goroutine has it inside of a region
 * of the task, or of a task inside of it: the handler of a request, or a goroutine that works for
 * it. A label that is set before or after that time is none of the task.
 *
 * 	struct labelled *l = labelled_new(spans, "user=7*");	before the visitors that ask it
 * 	spans_read(...);	they call labelled_task() when a task ends
 * 	labelled_free(l);	before spans_free()
 *
 * Of several labels a goroutine must have all at one time.
 *
 * Memory: the open tasks and live goroutines.
 */
#ifndef GOTAP_SPANS_LABELLED_H
#define GOTAP_SPANS_LABELLED_H

#include "read/labels.h"
#include "spans/spans.h"

struct labelled;

/* Is @label KEY=VALUE? VALUE is a pattern of fnmatch(3): * and ? are what they are in a shell. */
bool labelled_is_valid(const char *label);
/*
 * Adds a visitor to @s. @label, which must live as long as the result, is valid.
 */
struct labelled *labelled_new(struct spans *s, const char *label);
/* The same for all of @labels, at least one. */
struct labelled *labelled_new_all(struct spans *s, const struct labels_asked *labels);
/* Frees @l, which may be NULL. */
void labelled_free(struct labelled *l);
/* Removes the visitor: the trace is read. */
void labelled_leave(struct labelled *l);
/* Has the goroutine the label now, had it at any time so far? @l NULL: yes. */
bool labelled_has(struct labelled *l, const struct goroutine *g);
bool labelled_had(struct labelled *l, const struct goroutine *g);
/* Had the task the label? It is open, or has just ended. @l NULL: yes. */
bool labelled_task(const struct labelled *l, uint64_t task);

#endif
