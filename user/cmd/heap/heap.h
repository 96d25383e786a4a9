/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap: `gotap heap`: the profiles of memory, blocking and locks that the runtime of a process
 * keeps. Shared by its files: options and the process (heap.c), profiling switched on for a time
 * (switch.c), and the forms: text (text.c), the text of net/http/pprof (records.c), JSON (json.c).
 * What a profile adds up to is in view.h.
 */
#ifndef GOTAP_CMD_HEAP_HEAP_H
#define GOTAP_CMD_HEAP_HEAP_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/heap/view.h"
#include "cmd/look.h"
#include "target/profile_vars.h"

struct heap_options {
	struct pick pick;
	const struct heap_form *form;
	const char *out;		/* file of the profile; NULL: text */
	double diff;			/* seconds; 0: no */
	unsigned long rate;		/* of switch_on, bytes */
	unsigned int lines, largest;
	int assume_minor;		/* 0: the release that the program says */
	unsigned int top;		/* of --retained */
	bool json, records, now, switch_on, switch_off, retained;
};

struct heap_cmd {
	const struct heap_options *o;
	struct look look;
	struct profile_vars vars;
	struct vec text;		/* struct heap_text */
	struct heap_view view;
};

/* switch.c */

/*
 * Ends what a gotap that was killed has left switched on in the process, and says so. Returns 0,
 * also if there is nothing; -EBUSY: a gotap that runs has switched it on.
 */
int heap_switch_recover(struct heap_cmd *h, struct error *err);
/*
 * Switches memory profiling on, from now until heap_switch_off() or the end of gotap, however it
 * comes. -EALREADY: the program has it on.
 */
int heap_switch_on(struct heap_cmd *h, struct error *err);
/* --switch-off: writes 0 to the rate, whoever has set it, and prints what it was. */
int heap_switch_reset(struct heap_cmd *h, struct error *err);
/* Switches it off again; -ESRCH: the process has ended. Accepts one that is not switched on. */
int heap_switch_off(struct heap_cmd *h, struct error *err);

void heap_print(struct heap_cmd *h);
void heap_print_records(struct heap_cmd *h);
void heap_print_json(struct heap_cmd *h);

#endif
