/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_spec: the facts about each event of the v2 format that readers need, made of
 * include/tracev2.def: number of arguments, places of string and stack ids, whether data follows.
 *
 * A table is a plain struct that its owner fills with raw_specs_init(). It points to constant texts
 * only, so it can be copied and need not be freed.
 */
#ifndef GOTAP_READ_RAW_SPEC_H
#define GOTAP_READ_RAW_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracev2.h"

enum raw_class {
	RAW_NONE,		/* an unused number */
	RAW_FRAMING,
	RAW_STRUCTURAL,
	RAW_TIMED,
	RAW_EXPERIMENT,		/* timed, too */
};

enum { RAW_SPECS = 137 };	/* highest event number + 1 */

struct raw_spec {
	const char *name;	/* NULL: an unused number */
	const char *args;	/* names in the order of the file, separated by one space */
	uint8_t name_len;
	uint8_t class;		/* enum raw_class */
	uint8_t version;	/* first header (go 1.NN) that has it */
	uint8_t nargs;
	uint8_t stack;		/* argument index of the event's own stack, 0: none */
	/* argument index of the stack of the goroutine that it creates, 0: none */
	uint8_t new_stack;
	uint8_t strings;	/* bit i: argument i is a string id */
};

struct raw_specs {
	struct raw_spec of[RAW_SPECS];
	uint8_t timed_args[256];	/* number of arguments of a timed event, 0 for others */
	int header;		/* NN of raw_specs_limit(), 0: no limit */
	uint8_t by_name[256];	/* hash of the name -> event number, 0: none; linear probing */
};

void raw_specs_init(struct raw_specs *specs);
/* Removes events that header go 1.@version does not have from the timed events. */
void raw_specs_limit(struct raw_specs *specs, int version);
/* True if only later headers have the event. */
bool raw_spec_is_later(const struct raw_specs *specs, unsigned type);

/* The spec of event number @type in header go 1.@version, NULL: the header has none. */
const struct raw_spec *raw_spec_get(const struct raw_specs *specs, unsigned type, int version);

/* The number of the event with the name of @n bytes at @name in that header, 0: none. */
unsigned raw_spec_named(const struct raw_specs *specs, const char *name, size_t n, int version);

/* True if the event is in batches of threads: its first argument is a time difference. */
static inline bool raw_spec_timed(const struct raw_spec *spec)
{
	return spec->class >= RAW_TIMED;
}

/* True if a length and bytes follow the arguments. */
static inline bool raw_has_data(unsigned type)
{
	return type == EV_String || type == EV_ExperimentalBatch;
}

#endif
