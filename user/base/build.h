/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build: in what this gotap differs from one that has all, as it was built; for --version and
 * doctor.
 */
#ifndef GOTAP_BASE_BUILD_H
#define GOTAP_BASE_BUILD_H

#include <stdbool.h>

/* Linked without shared libraries (make static). */
bool build_is_static(void);
/* The @i-th thing, from 0 on, that this gotap lacks; NULL after the last one. */
const char *build_lacks(unsigned int i);

#endif
