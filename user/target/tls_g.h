/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_g: where a thread has g in thread-local storage (runtime.tls_g, runtime.tlsg). In: a binary.
 * Out: its distance from the thread pointer. Each architecture implements this header
 * (target/code.h).
 */
#ifndef GOTAP_TARGET_TLS_G_H
#define GOTAP_TARGET_TLS_G_H

#include <stdint.h>

#include "target/gobin.h"

struct tls_g {
	/* a word of the program that the loader sets to the distance; 0: it is @offset */
	uint64_t slot;
	int64_t offset;
};

/*
 * Finds it in the assembly function that loads g. Position independent code for libraries takes the
 * distance from a word, since that of a library depends on the other ones and on the program, which
 * may have thread-local variables, too. Stores the usual distance if the code is of another form.
 */
void code_tls_g(const struct gobin *b, struct tls_g *ret);

#endif
