/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ready_skip: where an argument of runtime.ready(gp, traceskip, next) can be
 * found while casgstatus runs. In: code. Out: an offset from the frame pointer.
 *
 * A probe in casgstatus sees that ready made a goroutine runnable, but not how
 * many frames the runtime's tracer would leave out of the waker's stack. The
 * compiler spills that argument into its slot in the caller's frame, at the
 * frame pointer + 24 on amd64, because it is needed after casgstatus (since Go 1.22).
 */
#ifndef GOTAP_TARGET_READY_SKIP_H
#define GOTAP_TARGET_READY_SKIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/gobin.h"

/*
 * The slot in which the argument that register @reg holds on
 * entry lies whenever offset @upto of the function of @n bytes is reached:
 * *@fp_off + the frame pointer. -ENOTSUP if it is not provably there.
 */
int spill_slot(const uint8_t *code, size_t n, size_t upto, unsigned int reg, int *fp_off);

/* The slot of traceskip at ready's call of casgstatus; -ENOTSUP with a text. */
int ready_skip_slot(const struct gobin *b, int *fp_off, struct error *err);

#endif
