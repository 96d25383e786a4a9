// SPDX-License-Identifier: Apache-2.0
/*
 * heap: many reads of a program at work, GOTAP_TEST_PID, which collects meanwhile (tests/prog/heaped.go with
 * "busy"): no record is torn or refused, and the published sums never decrease.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>

#include "heap/heap.h"
#include "live/module.h"
#include "target/profile_vars.h"

enum { READS = 1000 };

static struct process proc = PROCESS_CLOSED;
static struct profile_vars vars;
static struct heap_text text;
static struct gobin *bin;
static struct vec plugins;

static bool open_program(const char *pid)
{
	struct procfs fs;
	struct error err;

	if (procfs_open(&fs, NULL, &err) || process_open(&proc, &fs, atoi(pid), &err) ||
	    module_open(&proc, &bin, &plugins, &err)) {
		printf("# %s\n", err.text);
		return false;
	}
	profile_vars_find(bin, &vars);
	gobin_text_range(bin, &text.start, &text.end);
	text.start += proc.bias;
	text.end += proc.bias;
	return true;
}

/*
 * Returns the sum of allocated bytes; counts records with impossible values. @moved: the program collected during each
 * attempt, so that the sum may be of two moments.
 */
static uint64_t look(uint64_t *impossible, uint32_t *cycle, uint64_t *again, bool *moved)
{
	struct heap_opts opts = { .proc = &proc, .vars = &vars, .minor = gobin_go_minor(bin),
				  .kind = HEAP_MEMORY, .text = &text, .ntext = 1 };
	struct heap_profile p;
	struct error err;
	uint64_t sum = 0;
	size_t i;

	CHECK(!heap_read(&p, &opts, &err));
	CHECK(!p.cut);
	*moved = p.moved;
	*impossible += heap_refused(&p);
	for (i = 0; i < p.records.len; i++) {
		const struct heap_record *r = vec_at(&p.records, struct heap_record, i);

		sum += r->published.allocs;
		*impossible += r->published.frees > r->published.allocs;
	}
	*cycle = p.cycle;
	*again += p.attempts - 1;
	heap_free(&p);
	return sum;
}

static void reads_beside_collections(void)
{
	uint64_t impossible = 0, again = 0, last = 0, now;
	const char *pid = getenv("GOTAP_TEST_PID");
	uint32_t first, cycle;
	int i, backwards = 0, settled = 0;
	bool moved;

	if (!pid) {
		printf("# skip no GOTAP_TEST_PID\n");
		return;
	}
	CHECK(open_program(pid));
	if (!bin)
		return;
	last = look(&impossible, &first, &again, &moved);
	if (moved)
		last = 0;
	for (i = 1; i < READS; i++) {
		now = look(&impossible, &cycle, &again, &moved);
		if (moved)
			continue;
		settled++;
		backwards += now < last;
		last = now;
	}
	CHECK_EQ(impossible, 0);
	CHECK_EQ(backwards, 0);
	CHECK(cycle > first);
	CHECK(settled > READS / 2);
	printf("# %d reads over %u collections, %llu read again, %d of two moments\n", READS,
	       cycle - first, (unsigned long long)again, READS - 1 - settled);
	plugins_free(&plugins);
	gobin_free(bin);
	process_close(&proc);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(reads_beside_collections), {0} });
}
