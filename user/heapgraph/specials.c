// SPDX-License-Identifier: Apache-2.0
/*
 * specials: what is attached to objects (runtime/mheap.go, special). See internal.h.
 *
 * A finalizer holds its function and what its object points to, but not the object. A cleanup holds
 * its function and arguments, a weak pointer only its handle. A sample of the heap profile names
 * the bucket of the place of allocation.
 */
#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "target/gobin.h"

enum {
	BYTES = 64,		/* of a special, with the fields that follow */
	MINOR_WIDE = 24,	/* since then special.offset is a uintptr */
	DUE_BLOCKS = 1 << 16,
	KIND_NONE = 0,
};

/* Numbers of kinds by release: the row of the release, or the last one before it. */
static const struct kinds {
	int minor;
	uint8_t finalizer, weak, profile, cleanup;
} special_kinds[] = {
	{ 15, 1, KIND_NONE, 2, KIND_NONE },
	{ 23, 1, 2, 3, KIND_NONE },
	{ 24, 1, 2, 3, 6 },
	{ 25, 2, 3, 4, 7 },
};

static const struct kinds *specials_of_release(int minor)
{
	size_t i = sizeof(special_kinds) / sizeof(special_kinds[0]) - 1;

	while (i && special_kinds[i].minor > minor)
		i--;
	return &special_kinds[i];
}

static uint64_t special_offset(const uint8_t *bytes, bool wide)
{
	return wide ? u64_at(bytes, 8) : (uint64_t)bytes[8] | (uint64_t)bytes[9] << 8;
}

static void specials_take(struct heapgraph *hg, const struct graph_span *s, const uint8_t *bytes)
{
	const struct kinds *kinds = specials_of_release(hg->opts.plan->minor);
	bool wide = hg->opts.plan->minor >= MINOR_WIDE;
	uint64_t offset = special_offset(bytes, wide);
	unsigned int at, fields = wide ? 24 : 16;
	uint8_t kind = bytes[wide ? 16 : 10];
	uint32_t object = heapgraph_object_at(hg, s->base + offset);

	if (offset >= s->bytes || object == GRAPH_NONE || kind == KIND_NONE)
		return;
	if (kind == kinds->profile)
		*map64_put(&hg->places, object, NULL) = u64_at(bytes, fields);
	if (kind != kinds->finalizer && kind != kinds->weak && kind != kinds->cleanup)
		return;
	for (at = fields; at + 8 <= BYTES; at += 8)
		graph_add_word(hg, u64_at(bytes, at));
	if (kind == kinds->finalizer)
		graph_add_edges_of(hg, object);
}

void graph_scan_specials(struct heapgraph *hg)
{
	/* an object has some specials at most; each takes more than 16 bytes */
	uint64_t left = memory_size(hg->opts.proc) / 16 + 1, at;
	uint8_t bytes[BYTES];
	size_t i;

	graph_begin_node(hg);
	for (i = 0; i < hg->spans.len && left && !stop_requested(hg->opts.stop); i++) {
		const struct graph_span *s = vec_at(&hg->spans, struct graph_span, i);

		for (at = s->specials; at && left; at = u64_at(bytes, 0), left--) {
			if (!memory_read(hg->opts.proc, at, bytes, sizeof(bytes))) {
				hg->counts.unreadable_bytes += sizeof(bytes);
				break;
			}
			specials_take(hg, s, bytes);
		}
	}
}

/* Blocks of calls that are due: a list from a variable of the runtime. */
struct due {
	const char *symbol;
	int minor;		/* since this release */
	uint64_t field;		/* of the variable: the first block */
	uint64_t next;		/* of a block: the next one */
	uint64_t bytes;		/* of a block */
};

static void specials_scan_due(struct heapgraph *hg, const struct due *due)
{
	const struct process *proc = hg->opts.proc;
	uint64_t at = 0;
	unsigned int n;

	if (!hg->opts.bin || gobin_data_symbol(hg->opts.bin, due->symbol, &at) ||
	    !memory_read(proc, at + proc->bias + due->field, &at, sizeof(at))) {
		hg->counts.due_unknown++;
		return;
	}
	for (n = 0; at && n < DUE_BLOCKS && !stop_requested(hg->opts.stop); n++) {
		graph_add_range(hg, at & ~7ULL, (at & ~7ULL) + due->bytes);
		if (!memory_read(proc, at + due->next, &at, sizeof(at))) {
			hg->counts.due_unknown++;
			return;
		}
	}
}

void graph_scan_finalizers(struct heapgraph *hg)
{
	unsigned int line = hg->opts.bin ? gobin_arch(hg->opts.bin)->cache_line : 0;
	const struct due lists[] = {
		/* runtime/mfinal.go, finblock: _FinBlockSize; its field alllink comes first */
		{ "runtime.allfin", 0, 0, 0, 4096 },
		/*
		 * runtime/mcleanup.go, cleanupQueue: all comes after two parts of a cache line
		 * each; cleanupBlock: cleanupBlockSize, alllink after the two words of lfnode
		 */
		{ "runtime.gcCleanups", 25, 2ULL * line, 16, 512 },
	};
	size_t i;

	graph_begin_node(hg);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (hg->opts.plan->minor >= lists[i].minor)
			specials_scan_due(hg, &lists[i]);
}
