/* SPDX-License-Identifier: Apache-2.0 */
/* gobin_memory: opens an executable that lies in memory, for tests and fuzzers. */
#ifndef GOTAP_TARGET_GOBIN_MEMORY_H
#define GOTAP_TARGET_GOBIN_MEMORY_H

#include "target/gobin.h"

/* As gobin_open(); @data is borrowed and must outlive *@ret, @name is its path. */
int gobin_open_memory(struct gobin **ret, const void *data, size_t size, const char *name,
		      struct error *err);

#endif
