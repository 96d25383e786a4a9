/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ready_skip: where an argument of runtime.ready(gp, traceskip, next) is while casgstatus runs. In:
 * code. Out: an offset from the frame pointer.
 *
 * A probe in casgstatus sees that ready made a goroutine runnable, but not how many frames the
 * runtime's tracer would leave out of the waker's stack. Since Go 1.22 ready needs that argument
 * after casgstatus, so that the compiler spills it into its slot in the caller's frame: on amd64 at
 * the frame pointer + 24.
 */
#ifndef GOTAP_TARGET_READY_SKIP_H
#define GOTAP_TARGET_READY_SKIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/gobin.h"

/*
 * Finds the slot of traceskip at ready's call of casgstatus; -ENOTSUP with a text if there is none.
 */
int ready_skip_slot(const struct gobin *b, int *fp_off, struct error *err);

#endif
