/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated_internal: functions for processes that give one answer (isolated.c) and for those that
 * give many (isolated_service.c).
 */
#ifndef GOTAP_BASE_ISOLATED_INTERNAL_H
#define GOTAP_BASE_ISOLATED_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Removes all rights and resources from the calling process, a new child, except memory, @channel
 * as descriptor 1, @fd under its number (-1: none) and @cpu_seconds of CPU time. -EPERM: the kernel
 * refuses this; the child may still write the error to descriptor 1.
 */
int isolated_enter(int channel, int fd, unsigned int cpu_seconds, struct error *err);
/* True in an isolated process. Further isolated work runs in this process itself. */
bool isolated_inside(void);
/* For the child: writes to descriptor 1. Ends the child if its parent does not read. */
void isolated_write(const void *data, size_t n);

int64_t isolated_now_ms(void);
/* The time in ms that the parent still waits; the wait ends at 0 or less. */
typedef int64_t isolated_left_fn(const void *ctx);
/*
 * For the parent. Reads @n bytes. Returns 0; -ETIMEDOUT when @left leaves no time; -EBADMSG if the
 * child has ended before it has written them.
 */
int isolated_read(int fd, void *data, size_t n, isolated_left_fn *left, const void *ctx);

#endif
