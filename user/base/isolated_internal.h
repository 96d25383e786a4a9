/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated_internal: shared by processes for one answer (isolated.c) and for many
 * (isolated_service.c).
 */
#ifndef GOTAP_BASE_ISOLATED_INTERNAL_H
#define GOTAP_BASE_ISOLATED_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Takes everything from the calling process, a new child, but memory, @channel as descriptor 1, @fd
 * under its number (-1: none) and @cpu_seconds. -EPERM: the kernel refuses that; descriptor 1 is
 * there for the error.
 */
int isolated_enter(int channel, int fd, unsigned int cpu_seconds, struct error *err);
/* Is this such a process? There work for another one is done on the spot. */
bool isolated_inside(void);
/* For the child: writes to descriptor 1, and ends the child if its parent does not read. */
void isolated_write(const void *data, size_t n);

int64_t isolated_now_ms(void);
/* How long the parent waits yet, in ms: at 0 or less no longer. */
typedef int64_t isolated_left_fn(const void *ctx);
/*
 * For the parent. Returns 0; -ETIMEDOUT when @left leaves no time, -EBADMSG if the child ends
 * before.
 */
int isolated_read(int fd, void *data, size_t n, isolated_left_fn *left, const void *ctx);

#endif
