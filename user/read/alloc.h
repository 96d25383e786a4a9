/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc: the log events of sampled allocations (group alloc). An event of category ALLOC_CATEGORY
 * is an allocation that the runtime has sampled for its heap profile, of the goroutine that
 * allocates, with its stack, without the leaf functions of the runtime, as runtime/pprof shows it.
 * One of category ALLOC_FREE_CATEGORY is the end of such an object: of the goroutine that swept it,
 * with the stack of the allocation; without a stack if that is not known. The message of both is a
 * line of KEY=VALUE, separated by spaces, in this order:
 *
 *	size		bytes of the object, as the heap profile has them; of the end of an
 *			object whose allocation is not known those of its slot
 *	rate		runtime.MemProfileRate at the allocation: one sample in so many bytes
 *	collections	of the end: collections that had begun since the allocation; the last
 *			one freed the object. Missing: not known
 *	type		the type as package reflect prints it; the rest of the line. Missing:
 *			not known
 *
 * sched/allocs.c writes them. A log event of the program in such a category gets another name in a
 * recording (notes.h). A program that traces itself can log such an event; its trace then has what
 * the program says of itself.
 */
#ifndef GOTAP_READ_ALLOC_H
#define GOTAP_READ_ALLOC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define ALLOC_CATEGORY "gotap.alloc"
#define ALLOC_FREE_CATEGORY "gotap.free"

/* A message; 0: not in it. @type is a part of the message, "": not in it. */
struct alloc_log {
	uint64_t size, rate, collections;
	const char *type;
};

/* Are events of that category about samples? */
bool alloc_is_log(const char *category);
/* Parses a message. False: it does not have this form. */
bool alloc_log_parse(struct alloc_log *ret, const char *message);
/*
 * The number of objects of @size bytes that one sample stands for, where one in @rate bytes is
 * sampled: as runtime/pprof scales them (scaleHeapSample), 1 / (1 - exp(-size / rate)).
 */
static inline double alloc_weight(uint64_t size, uint64_t rate)
{
	return rate <= 1 ? 1 : 1 / -expm1(-(double)size / (double)rate);
}

#endif
