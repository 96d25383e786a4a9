/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts: texts of annotations, labels and fatal messages that were not in memory when the probe
 * read them. Most texts are constants of the program. A page of these may be missing: the program
 * has only passed the text's address on and never touched it, or the kernel has reclaimed the page.
 * Then the probe marks the record (enum rec_missing), and the text is taken from the program's file
 * here, where it is the same at any time. Any other text may have changed since: it is lost, and
 * counted. Called by the drain.
 *
 * Likewise the names of types (REC_OBJECT_TYPE), which the linker wrote.
 */
#ifndef GOTAP_CAPTURE_TEXTS_H
#define GOTAP_CAPTURE_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/process.h"
#include "stream/chunk.h"
#include "symbol/elf_file.h"

struct texts {
	const struct process *proc;
	const uint64_t *missing;	/* count of the texts that probes have marked */
	uint64_t found, lost;		/* of these */
	/* address of the program's first type descriptor; offsets of names begin there */
	uint64_t types;
	/* whether the program's constants are still mapped from its file */
	bool in_place;
	struct elf_file file;		/* the program's file; open once a text was missing */
};

/* @missing counts the texts that probes have marked as missing, before they submit the record. */
void texts_init(struct texts *t, const struct process *proc, uint64_t types,
		const uint64_t *missing);
/* Accepts a zeroed one. */
void texts_free(struct texts *t);
/*
 * Puts the missing texts into the records of the first @end bytes of @c, and appends a
 * REC_UNREADABLE with time @now if some are lost. Has the pages of all of them brought in, so that
 * probes can read them the next time.
 */
void texts_fill(struct texts *t, struct chunk *c, size_t end, uint64_t now);

#endif
