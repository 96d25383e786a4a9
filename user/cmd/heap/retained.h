/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retained: `gotap heap --retained`: who holds the memory of a process that stands still, or of a
 * core file. Shared by its files: reading (retained.c), text (retained_text.c) and JSON
 * (retained_json.c).
 */
#ifndef GOTAP_CMD_HEAP_RETAINED_H
#define GOTAP_CMD_HEAP_RETAINED_H

#include "cmd/heap/heap.h"
#include "heapgraph/retained.h"
#include "live/still.h"
#include "plan/plan.h"
#include "symbol/symbol.h"

enum { RETAINED_PATH = 16, RETAINED_NAME = 512, RETAINED_FRAMES = 64 };

struct retained_cmd {
	struct heap_cmd *h;
	struct plan plan;
	struct heapgraph hg;
	struct retained r;
	bool has_graph, has_retained;
};

/* Reads the heap, and prints what holds it. Returns the exit status. */
int heap_retained(struct heap_cmd *h);

/*
 * Returns what a node is, in words: "main.cache", "goroutine 7 (main.worker)", or of an object its
 * type.
 */
const char *retained_name(const struct retained_cmd *c, uint32_t node, char ret[RETAINED_NAME]);
/*
 * Stores the frames of the place where the object was allocated, if the heap profile has sampled
 * it; at most @max. Returns their number.
 */
size_t retained_place(const struct retained_cmd *c, uint32_t object, struct frame *ret, size_t max);
const char *retained_type_name(const struct retained_cmd *c, uint32_t type);

void retained_print(const struct retained_cmd *c);
void retained_print_json(const struct retained_cmd *c);

#endif
