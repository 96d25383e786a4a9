/* SPDX-License-Identifier: Apache-2.0 */
/* gzip: compresses pieces of data with zlib into a sink (RFC 1952, without a name or a time). */
#ifndef GOTAP_PPROF_GZIP_H
#define GOTAP_PPROF_GZIP_H

#include <zlib.h>

#include "read/raw_sink.h"

struct gzip {
	z_stream z;
	struct raw_sink *sink;
};

void gzip_open(struct gzip *g, struct raw_sink *sink);
void gzip_add(struct gzip *g, const void *data, size_t n);
/* Compresses the remaining data, and writes the end of the format. */
void gzip_close(struct gzip *g);

#endif
