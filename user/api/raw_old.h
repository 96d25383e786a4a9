/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_old: the part of gotap/raw.h for files before Go 1.22, whose records user/v1 cuts apart.
 * raw.c calls it.
 */
#ifndef GOTAP_API_RAW_OLD_H
#define GOTAP_API_RAW_OLD_H

#include "base/error.h"
#include "base/vec.h"
#include "gotap/raw.h"
#include "read/raw_source.h"
#include "v1/record.h"

struct raw_old {
	struct buf file;	/* all of it */
	struct v1_reader reader;
};

/* Is there such a header? */
bool raw_old_known(int version);
/* Takes all of @source, which stays the caller's. */
int raw_old_open(struct raw_old *r, struct raw_source *source, struct error *err);
/*
 * 1 and the next record as an event, 0 at the end. @frames, struct gotap_raw_frame, gets its
 * frames.
 */
int raw_old_next(struct raw_old *r, struct gotap_raw_event *ev, struct vec *frames,
		 struct error *err);
void raw_old_close(struct raw_old *r);

/* Numbers of @kind behind ticks and seq, without frames; -1 if the format has no such kind. */
int raw_old_nargs(const struct v1_format *f, unsigned int kind);
/* Appends the record of an event that has as many. */
void raw_old_put(struct buf *out, const struct v1_format *f, const struct gotap_raw_event *ev);

/* See gotap_raw_kind_spec() and gotap_raw_kind_named(). */
int raw_old_spec(int version, unsigned int kind, struct gotap_kind_spec *spec);
int raw_old_named(int version, const char *name, size_t len);

#endif
