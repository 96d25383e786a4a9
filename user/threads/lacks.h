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
 * Puts the texts for the bits in @with into @ret, and returns how many. Each is to follow "this
 * kernel does not tell: ".
 */
unsigned int threads_lacks(uint64_t with, const char *ret[THREADS_LACKS]);

#endif
