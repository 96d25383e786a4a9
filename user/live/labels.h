/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels: the profiler labels of a goroutine (runtime/pprof, SetGoroutineLabels), read from the
 * memory of the process. A set of labels never changes once a goroutine has it, and lives as long
 * as a goroutine has it. The labels that were read are therefore true if the goroutine still has
 * the set after the read and has not run meanwhile. The caller checks both.
 */
#ifndef GOTAP_LIVE_LABELS_H
#define GOTAP_LIVE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/process.h"

/* most labels of a set, and most bytes of a text, that are read */
enum { LABELS_MOST = 64, LABEL_BYTES = 1024 };

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
	bool more;			/* the set has further labels */
	struct live_label all[LABELS_MOST];
	uint8_t bytes[2 * LABELS_MOST * LABEL_BYTES];
};

/*
 * Reads the set at @address, the value of a g.labels that is not 0, in a program of Go 1.@minor.
 * False if the set cannot be read.
 */
bool labels_read(const struct process *p, int minor, uint64_t address, struct live_labels *ret);

#endif
