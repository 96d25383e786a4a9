/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number: reads durations and sizes that users write: options of commands (cmd/parse.h), triggers
 * (trigger/parse.h).
 */
#ifndef GOTAP_BASE_NUMBER_H
#define GOTAP_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a decimal number, without sign, exponent or hexadecimal digits, and moves @s after it.
 * False: @s does not begin with one.
 */
bool number_take(const char **s, double *ret);
/*
 * Reads all of @s as a duration: "5s", "500ms", "1m30s", "1h", or a number of seconds; more than 0,
 * at most 10000h. False: @s is not a duration.
 */
bool number_duration(const char *s, double *seconds);
/*
 * Reads all of @s as a number of bytes: "4096", "64K", "1.5M", "2GB", "1GiB", in units of 1024; at
 * least 1, below 2^63. False: @s is not a size.
 */
bool number_size(const char *s, uint64_t *bytes);

#endif
