/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_old: the part of gotap/raw.h for files before Go 1.22, whose records user/v1 parses. raw.c
 * calls it.
 */
#ifndef GOTAP_API_RAW_OLD_H
#define GOTAP_API_RAW_OLD_H

#include "base/error.h"
#include "base/vec.h"
#include "gotap/raw.h"
#include "read/raw_source.h"
#include "v1/record.h"

struct raw_old {
	struct buf file;	/* the whole file */
	struct v1_reader reader;
};

/* True if there is a header of this version. */
bool raw_old_known(int version);
/* Reads all of @source, which the caller closes. */
int raw_old_open(struct raw_old *r, struct raw_source *source, struct error *err);
/*
 * Returns 1 with the next record in @ev, 0 at the end, or -errno with @err. @frames gets the
 * record's struct gotap_raw_frame.
 */
int raw_old_next(struct raw_old *r, struct gotap_raw_event *ev, struct vec *frames,
		 struct error *err);
void raw_old_close(struct raw_old *r);

/*
 * The number of arguments of @kind after ticks and seq, without frames; -1: the format has no such
 * kind.
 */
int raw_old_nargs(const struct v1_format *f, unsigned int kind);
/* Appends the record of @ev, which must have raw_old_nargs() arguments. */
void raw_old_put(struct buf *out, const struct v1_format *f, const struct gotap_raw_event *ev);

/* See gotap_raw_kind_spec() and gotap_raw_kind_named(). */
int raw_old_spec(int version, unsigned int kind, struct gotap_kind_spec *spec);
int raw_old_named(int version, const char *name, size_t len);

#endif
