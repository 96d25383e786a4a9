/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lacks: what a kernel does not tell of threads (bits REC_WITHOUT_... of record.h), in words, for `gotap doctor` and for the
 * reports of record and assemble. Owns the texts.
 */
#ifndef GOTAP_THREADS_LACKS_H
#define GOTAP_THREADS_LACKS_H

#include <stdint.h>

enum { THREADS_LACKS = 5 };

/* Those of @with, at most @ret[THREADS_LACKS]: how many. Each goes on "this kernel does not tell: ". */
unsigned int threads_lacks(uint64_t with, const char *ret[THREADS_LACKS]);

#endif
