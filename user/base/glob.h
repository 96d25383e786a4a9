/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob: patterns for names of functions: `*` stands for any text, `?` for one byte. Nothing else
 * has a meaning, because the names of Go have brackets of their own, as `main.Map[...]`.
 */
#ifndef GOTAP_BASE_GLOB_H
#define GOTAP_BASE_GLOB_H

#include <stdbool.h>

/*
 * Returns whether @pattern matches all of @text. A `*` of the pattern also matches a `*` in the
 * text, as in `main.(*Cart).Total`. Takes at most len(pattern) * len(text) steps.
 */
bool glob_match(const char *pattern, const char *text);

#endif
