/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_spec: what the reading side must know of each event of the v2 format,
 * worked out once from include/tracev2.def: number of arguments, where ids
 * of strings and stacks stand, what follows the arguments.
 *
 * A table is a plain value that its owner fills with raw_specs_init(); it
 * points to constant text only, so it can be copied and needs no release.
 */
#ifndef GOTAP_READ_RAW_SPEC_H
#define GOTAP_READ_RAW_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracev2.h"

enum raw_class {
	RAW_NONE,		/* a hole in the numbering */
	RAW_FRAMING,
	RAW_STRUCTURAL,
	RAW_TIMED,
	RAW_EXPERIMENT,		/* timed as well */
};

enum { RAW_SPECS = 137 };	/* one past the highest event number */

struct raw_spec {
	const char *name;	/* NULL in a hole */
	const char *args;	/* names in wire order, one space between */
	uint8_t name_len;
	uint8_t class;		/* enum raw_class */
	uint8_t version;	/* first header (go 1.NN) that knows it */
	uint8_t nargs;
	uint8_t stack;		/* argument index of the event's own stack, 0 = none */
	uint8_t new_stack;	/* ... of the stack of what it creates, 0 = none */
	uint8_t strings;	/* bit i: argument i is a string id */
};

struct raw_specs {
	struct raw_spec of[RAW_SPECS];
	uint8_t timed_args[256];	/* number of arguments if it is a timed event, else 0 */
	int header;		/* NN of raw_specs_limit(), 0: events of all headers count */
	uint8_t by_name[256];	/* hash of the name -> event number, 0 = none; linear probing */
};

void raw_specs_init(struct raw_specs *specs);
/* Events that header go 1.@version does not have are no timed ones from now on. */
void raw_specs_limit(struct raw_specs *specs, int version);
/* Is it an event that only later headers have? */
bool raw_spec_is_later(const struct raw_specs *specs, unsigned type);

/* Spec of event number @type as header go 1.@version knows it, or NULL. */
const struct raw_spec *raw_spec_get(const struct raw_specs *specs, unsigned type, int version);

/* The event called by the @n bytes at @name under that header, 0 if there is none. */
unsigned raw_spec_named(const struct raw_specs *specs, const char *name, size_t n, int version);

/* Can stand in a batch of thread events: the first argument is a time difference. */
static inline bool raw_spec_timed(const struct raw_spec *spec)
{
	return spec->class >= RAW_TIMED;
}

/* A length and bytes follow the arguments. */
static inline bool raw_has_data(unsigned type)
{
	return type == EV_String || type == EV_ExperimentalBatch;
}

#endif
