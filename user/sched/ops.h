/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ops: the operations of goroutines that the program does not annotate itself, and that gotap
 * writes as runtime/trace would: served requests, and those of include/op.def. Each goroutine has
 * a stack of them. One with form TASK is a task, with a region of the same name in the goroutine,
 * and a log event with its result at its end; one with form REGION is a region in the task around
 * it; one with form FREE is a task that has no region and may end in another goroutine; one with
 * form LOG follows another operation, may end in another goroutine, and is a log event at its end
 * in the task of the other one. The ids of these tasks count from HTTP_TASKS on. The parent of a
 * task is the task around it.
 *
 * A name may be known at the end only: the router finds the route of a request while it is
 * served. A reader wants the name at the begin of the task: the trace has an id for it there, and
 * the text when the operation ends, at the latest when the generation does (sink_ops.text).
 *
 * An operation that ends ends those that began in its goroutine after it: readers want regions to
 * nest. Kinds differ in texts alone (op.h, op_*.c).
 */
#ifndef GOTAP_SCHED_OPS_H
#define GOTAP_SCHED_OPS_H

#include "sched/state.h"

/* A generation ends: names the operations that have begun in it and go on. */
void ops_tell(struct model *s);
/* The goroutine is dropped: so are its operations, without an end. */
void ops_drop(struct model *s, struct G *g);
/*
 * Records are missing: an end of a kind whose keys are depths may now belong to another operation
 * of the same depth. Those that are open have no end any more.
 */
void ops_lose(struct model *s);
/*
 * The probes of the function @name, of @n bytes, are removed: its calls that are open get no end.
 * Each ends, as one that was lost, where its goroutine next begins or ends an operation or a
 * region and nothing that began inside the call is open.
 */
void ops_gone(struct model *s, const char *name, size_t n);
/* Ends the innermost ones of the goroutine that @m runs, if they are such calls. @m speaks. */
void ops_end_gone(struct model *s, struct M *m);
/* Frees those that no goroutine has. The model ends. */
void ops_free(struct model *s);

#endif
