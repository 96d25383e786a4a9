/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels: the profiler labels of a goroutine (runtime/pprof, SetGoroutineLabels), read from the
 * process's memory. A set of labels never changes once a goroutine has it, and lives as long as one
 * does. So what is read is true if the goroutine still has the set afterwards, without having run:
 * the caller makes sure of that.
 */
#ifndef GOTAP_LIVE_LABELS_H
#define GOTAP_LIVE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/process.h"

enum { LABELS_MOST = 64, LABEL_BYTES = 1024 };	/* of a set, and of a text, that are read */

struct label_bytes {
	const uint8_t *text;
	size_t len;
	bool cut;
};

struct live_label {
	struct label_bytes key, value;
};

/* The labels of one set, sorted by key. */
struct live_labels {
	size_t n;
	bool more;			/* it has more */
	struct live_label all[LABELS_MOST];
	uint8_t bytes[2 * LABELS_MOST * LABEL_BYTES];
};

/*
 * Reads the set at @address, the value of a g.labels that is not 0, of a program of Go 1.@minor.
 * False: unreadable.
 */
bool labels_read(const struct process *p, int minor, uint64_t address, struct live_labels *ret);

#endif
