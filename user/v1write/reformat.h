/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reformat: a v1 trace of any format into one of gotrace, go 1.8, 1.11, 1.19 or 1.21. Each event
 * becomes itself; the clock stays that of the original.
 */
#ifndef GOTAP_V1WRITE_REFORMAT_H
#define GOTAP_V1WRITE_REFORMAT_H

#include "base/error.h"
#include "v1write/steps.h"
#include "v1/trace.h"

/* Writes @t to @fd. @left: V1_LEFT_KINDS counts of what could not stay as it was. */
int v1_reformat(const struct v1_trace *t, int fd, int version, uint64_t *left, struct error *err);

#endif
