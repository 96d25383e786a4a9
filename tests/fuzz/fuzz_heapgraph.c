// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_heapgraph: any changes to the memory that has a heap: mheap_, spans, goroutines, sudogs,
 * specials and objects. The process is the fuzzer itself. A changed word may be an address in that
 * memory, so that heapgraph follows it instead of refusing it.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heapgraph/leaks.h"
#include "heapgraph/retained.h"
#include "target/offsets.h"

enum {
	PAGE = 8192, HEAP_PAGES = 8, SPANS = 6, GS = 4,
	/* places in the page of the runtime, in words */
	ALLSPANS = 0, ALLGS = 3, ALLP = 6, LISTS = 16, SPAN_WORDS = 32, FIRST_SPAN = 64,
	SPECIALS = 512, BITS = 600, CHANGE = 10,
};

/* The heap begins at a page of its own: spans lie at multiples of 8192. */
static uint64_t *memory;
static struct process self = PROCESS_CLOSED;

static uint64_t address_of(size_t word)
{
	return (uint64_t)(uintptr_t)(memory + word);
}

static uint64_t page(size_t i)
{
	return address_of((1 + i) * PAGE / 8);
}

static void put(uint64_t at, unsigned int offset, const void *value, size_t n)
{
	if (offset != GO_OFFSET_NONE)
		memcpy((uint8_t *)(uintptr_t)at + offset, value, n);
}

static void put_word(uint64_t at, unsigned int offset, uint64_t value)
{
	put(at, offset, &value, sizeof(value));
}

static void make_span(const struct go_offsets *off, size_t i, uint64_t elemsize, uint8_t class)
{
	uint64_t at = address_of(FIRST_SPAN + i * SPAN_WORDS), nelems = (PAGE - 256) / elemsize;
	uint8_t in_use = 1;
	bool narrow = off->mspan_nelems - off->mspan_freeindex < 8;

	put_word(at, off->mspan_start, page(i));
	put_word(at, off->mspan_npages, 1);
	put(at, off->mspan_spanclass, &class, 1);
	put(at, off->mspan_state, &in_use, 1);
	put_word(at, off->mspan_elemsize, elemsize);
	put(at, off->mspan_nelems, &nelems, narrow ? 2 : 8);
	put(at, off->mspan_freeindex, &nelems, narrow ? 2 : 8);
	put_word(at, off->mspan_gcmark_bits - 8, address_of(BITS));
	put_word(at, off->mspan_specials, i ? 0 : address_of(SPECIALS));
	memory[LISTS + i] = at;
}

static void make_goroutine(const struct go_offsets *off, size_t i)
{
	uint64_t g = page(0) + i * 512, sudog = page(1) + i * 112;
	uint32_t waiting = 4;
	uint8_t reason = (uint8_t)(10 + 3 * i);

	put_word(g, off->g_goid, i + 1);
	put(g, off->g_atomicstatus, &waiting, 4);
	put(g, off->g_waitreason, &reason, 1);
	put_word(g, off->g_stack_lo, page(6));
	put_word(g, off->g_stack_hi, page(7));
	put_word(g, off->g_sched_sp, page(6) + 1024 * i);
	put_word(g, off->g_waiting, sudog);
	put_word(sudog, off->sudog_g, g);
	put_word(sudog, off->sudog_c, page(2) + 96 * i);
	put_word(sudog, off->sudog_elem, page(2) + 96 * i);
	memory[LISTS + SPANS + i] = g;
}

static void make_heap(const struct go_offsets *off)
{
	static const uint64_t sizes[SPANS] = { 512, 112, 96, 16, 1024, 2048 };
	size_t i;

	memset(memory, 0, (1 + HEAP_PAGES) * PAGE);
	memory[ALLSPANS] = address_of(LISTS);
	memory[ALLSPANS + 1] = memory[ALLSPANS + 2] = SPANS;
	memory[ALLGS] = address_of(LISTS + SPANS);
	memory[ALLGS + 1] = memory[ALLGS + 2] = GS;
	for (i = 0; i < SPANS; i++)
		make_span(off, i, sizes[i], (uint8_t)(10 + 2 * i + (i == 3)));
	for (i = 0; i < GS; i++)
		make_goroutine(off, i);
	for (i = 0; i < 64; i++)
		memory[(page(4) - address_of(0)) / 8 + 16 * i] = page(i % SPANS) + 64 * i;
	memory[SPECIALS + 1] = 2;
}

/*
 * Each change is two bytes, the number of a word, and eight bytes of its value; a value with the
 * upper bits 1 << 40 becomes the address of a word.
 */
static void change_memory(const uint8_t *data, size_t size)
{
	const size_t words = (1 + HEAP_PAGES) * PAGE / 8;
	uint64_t value;
	uint16_t at;

	for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
		memcpy(&at, data, sizeof(at));
		memcpy(&value, data + sizeof(at), sizeof(value));
		if (value >> 40 == 1)
			value = address_of(value % words);
		memory[at % words] = value;
	}
}

static void judge_graph(struct heapgraph *hg)
{
	struct retained r;
	struct error err;
	uint32_t path[4];
	bool *leaked;
	size_t i;

	must(heapgraph_leaks(hg, &leaked) <= hg->goroutines.len, "no more leak than there are");
	free(leaked);
	must(hg->counts.objects <= hg->nobjects, "an object has a number");
	for (i = 0; i < hg->edges.to.len; i++)
		must(*vec_at(&hg->edges.to, uint32_t, i) < hg->nobjects, "edges lead to objects");
	if (!retained_find(&r, hg, &err)) {
		must(r.bytes <= hg->counts.bytes, "no more is reached than there is");
		must(r.shared_bytes <= r.bytes, "no more is shared than is reached");
		for (i = 0; i < r.places.len; i++)
			must(retained_path(&r, r.dom.node[*vec_at(&r.places, uint32_t, i)], path,
					   4) > 1, "what is reached has a path");
	}
	retained_free(&r);
}

static void begin(void)
{
	struct error err;

	self.pid = getpid();
	if (procfs_open(&self.fs, NULL, &err))
		abort();
	memory = aligned_alloc(PAGE, (1 + HEAP_PAGES) * PAGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int minors[] = { 15, 19, 21, 22, 24, 25, 26, 27 };
	struct plan plan = {0};
	struct roots roots;
	struct heapgraph_opts opts = { .plan = &plan, .proc = &self, .roots = &roots };
	struct heapgraph hg;
	struct error err;

	if (!size)
		return 0;
	if (!self.pid)
		begin();
	plan.minor = minors[data[0] % (sizeof(minors) / sizeof(minors[0]))];
	plan.go_version = plan.offsets_source = "";
	if (go_offsets_from_table(plan.minor, &plan.offsets))
		return 0;
	make_heap(&plan.offsets);
	plan.mheap = address_of(ALLSPANS) - plan.offsets.mheap_allspans;
	plan.data_start = address_of(0);
	plan.data_end = page(0);
	plan.types_start = page(0);
	plan.types_end = page(HEAP_PAGES - 1);
	roots = (struct roots){ address_of(ALLGS), address_of(ALLP) };
	change_memory(data + 1, size - 1);
	if (!heapgraph_read(&hg, &opts, &err))
		judge_graph(&hg);
	heapgraph_free(&hg);
	return 0;
}
