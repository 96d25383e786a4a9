/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lacks: the texts of facts about threads that a kernel does not provide (bits REC_WITHOUT_... of
 * record.h), for `gotap doctor` and for the reports of record and assemble.
 */
#ifndef GOTAP_THREADS_LACKS_H
#define GOTAP_THREADS_LACKS_H

#include <stdint.h>

enum { THREADS_LACKS = 5 };

/*
 * Stores the texts for the bits in @with in @ret, and returns their number. A text completes the
 * line "this kernel does not tell: ".
 */
unsigned int threads_lacks(uint64_t with, const char *ret[THREADS_LACKS]);

#endif
