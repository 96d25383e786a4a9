/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_map: checks that the program's code is still where its file is mapped. Some programs move
 * their code into huge pages: they copy it to anonymous memory and put that in its place. The
 * kernel places probes only into mappings of a file, and does not know the breakpoints that were
 * copied along: each is a trap that kills the program. In: a process and the range of its code.
 * bpf.c checks before and after it attaches, the drain from time to time.
 */
#ifndef GOTAP_LIVE_TEXT_MAP_H
#define GOTAP_LIVE_TEXT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "live/process.h"

/* Addresses in the process. */
struct text_range {
	uint64_t start, end;
};

/*
 * Returns whether a part of @range is mapped from elsewhere than p->module. False if that cannot be
 * read.
 */
bool text_moved(const struct process *p, const struct text_range *range);
/* Returns -ENOTSUP with the way out as text if text_moved(). */
int text_check(const struct process *p, const struct text_range *range, struct error *err);

#endif
