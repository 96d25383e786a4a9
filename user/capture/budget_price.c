// SPDX-License-Identifier: Apache-2.0
/* budget_price: see budget_price.h. */
#define _GNU_SOURCE
#include "capture/budget_price.h"

#include <stdio.h>
#include <time.h>

#include "base/arch.h"
#include "inline/image.h"

enum {
	/* calls in a batch; the ring of probe_calibrate.bpf.c has room for their records */
	CALLS = 500,
	BATCHES = 8,		/* the fastest batch counts, since the others were disturbed */
	FRAMES = 32,
};

/*
 * Prices on a small virtual machine of amd64 (docs/measurements.md); on bare metal they are less
 * than half. For arm64, for which no processor was at hand, they are the same but for the step.
 */
#define ASSUMED_HIT 800
static const struct budget_prices assumed = {
	.hit = ASSUMED_HIT, .step = ASSUMED_HIT * ARCH_STEP_PERCENT / 100,
	.record = 250, .stack = 350, .frame = 30
};

/*
 * A hit in a program costs more than one in a loop of hits, which finds the code of the kernel in
 * the caches: 1.15 times as much (`make bench`, part a2).
 */
#define COLD 1.15
/* A record costs twice as much, because its memory was last written 10 ms ago. */
#define COLD_RECORD 2.0

/*
 * The two functions that the probes sit in. The kernel emulates the first instruction of each, as
 * it does at nearly all places where gotap puts probes.
 */
void budget_site_hit(const void *frames);
void budget_site_record(const void *frames);
/* The kernel has to step the first instruction of this one. */
void budget_site_step(const void *frames);

__asm__(".text\n"
	".globl budget_site_hit\n"
	".type budget_site_hit, @function\n"
	"budget_site_hit:\n"
	ARCH_EMPTY_FUNCTION
	".size budget_site_hit, .-budget_site_hit\n"
	".globl budget_site_record\n"
	".type budget_site_record, @function\n"
	"budget_site_record:\n"
	ARCH_EMPTY_FUNCTION
	".size budget_site_record, .-budget_site_record\n"
	".globl budget_site_step\n"
	".type budget_site_step, @function\n"
	"budget_site_step:\n"
	ARCH_RETURNING_FUNCTION
	".size budget_site_step, .-budget_site_step\n");

/* Finds the offset of @function in the file of gotap's own executable. */
static bool find_offset(void (*function)(const void *), uint64_t *ret)
{
	uintptr_t at = (uintptr_t)function;
	unsigned long start, end, offset;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			at >= start && at < end;
	if (f)
		fclose(f);
	*ret = found ? at - start + offset : 0;
	return found;
}

static double price_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double price_fastest(void (*function)(const void *), const void *frames, struct ring *ring)
{
	double best = 1e12, begin, ns;
	int batch, i;

	for (batch = 0; batch < BATCHES; batch++) {
		begin = price_cpu_ns();
		for (i = 0; i < CALLS; i++)
			function(frames);
		ns = (price_cpu_ns() - begin) / CALLS;
		if (ns < best)
			best = ns;
		ring_drain(ring, NULL);
	}
	return best;
}

static double price_more(double than, double ns)
{
	return ns > than ? ns - than : 0;
}

/* Makes a chain of @n frames, innermost first. */
static void make_chain(uint64_t *chain, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		chain[2 * i] = i + 1 < n ? (uint64_t)(uintptr_t)&chain[2 * i + 2] : 0;
		chain[2 * i + 1] = (uint64_t)i + 1;
	}
}

static void price_measure(struct ring *ring, struct budget_prices *ret)
{
	uint64_t chain[2 * FRAMES] = { 0 };
	double hit, record, one, all;

	hit = price_fastest(budget_site_hit, NULL, ring);
	record = price_fastest(budget_site_record, NULL, ring);
	make_chain(chain, 1);
	one = price_fastest(budget_site_record, chain, ring);
	make_chain(chain, FRAMES);
	all = price_fastest(budget_site_record, chain, ring);
	*ret = (struct budget_prices){
		.hit = COLD * hit,
		.record = COLD_RECORD * price_more(hit, record),
		.stack = COLD * price_more(record, one),
		.frame = COLD * price_more(one, all) / (FRAMES - 1),
		.step = assumed.step,
		.measured = true,
	};
}

void budget_measure_step(struct bpf_side *b, struct budget_prices *ret)
{
	uint64_t at;

	if (find_offset(budget_site_step, &at) && bpf_probe_self(b, CALIBRATE_HIT, at))
		ret->step = COLD * price_fastest(budget_site_step, NULL,
						 &bpf_rings(b)->calibration);
}

void budget_measure(struct bpf_side *b, struct budget_prices *ret)
{
	uint64_t hit, record;

	*ret = assumed;
	if (find_offset(budget_site_hit, &hit) && find_offset(budget_site_record, &record) &&
	    bpf_probe_self(b, CALIBRATE_HIT, hit) &&
	    bpf_probe_self(b, CALIBRATE_RECORD, record))
		price_measure(&bpf_rings(b)->calibration, ret);
}

/* As it runs on the machine of docs/measurements.md. */
static const struct image_prices assumed_inline = { .record = 35, .stack = 5, .frame = 1 };

void budget_measure_inline(struct budget_prices *ret)
{
	struct image_prices p;
	struct error err;

	if (image_measure(&p, &err)) {
		p = assumed_inline;
		ret->measured = false;
	}
	ret->inline_record = COLD_RECORD * p.record;
	ret->inline_stack = COLD * p.stack;
	ret->inline_frame = COLD * p.frame;
}
