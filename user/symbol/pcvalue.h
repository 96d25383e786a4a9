/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcvalue: the tables of .gopclntab that map addresses of a function to a number (file, line, SP
 * offset, place in the inline tree). A table is a list of pairs: value delta (zig-zag varint),
 * address delta (varint, in units of
 * the PC quantum of the architecture). A value delta of 0 that is not the first one ends the table
 * (runtime/symtab.go, pcvalue and step; the same from Go 1.2 to 1.27).
 */
#ifndef GOTAP_SYMBOL_PCVALUE_H
#define GOTAP_SYMBOL_PCVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Walks the runs of equal value: each run begins where the one before ended. */
struct pcvalue {
	const uint8_t *p, *end;
	bool started;
	unsigned int quantum;
	uint64_t start, stop;	/* the run, as offsets from the function's entry */
	int32_t value;
};

static inline struct pcvalue pcvalue_start(const uint8_t *table, size_t size,
					   unsigned int quantum)
{
	return (struct pcvalue){
		.p = table,
		.end = table ? table + size : NULL,
		.value = -1,
		.quantum = quantum,
	};
}

/* Moves to the first or next run; false at the end, or if the bytes are no valid pair. */
bool pcvalue_next(struct pcvalue *v);

/* Returns the value at @offset from the entry, -1 if the table does not reach it. */
int32_t pcvalue_at(const uint8_t *table, size_t size, unsigned int quantum, uint64_t offset);

#endif
