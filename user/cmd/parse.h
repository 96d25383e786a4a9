/* SPDX-License-Identifier: Apache-2.0 */
/* parse: option arguments. Each returns false for text that is not wholly of its form. */
#ifndef GOTAP_CMD_PARSE_H
#define GOTAP_CMD_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbol.h"

bool parse_number(const char *s, unsigned long min, unsigned long max, unsigned long *ret);
/* 5s, 500ms, 2m, 1h, or seconds as a plain number; more than 0, at most 10000h. */
bool parse_duration(const char *s, double *seconds);
/* A place in a trace: a duration since its begin, or 0 in any unit. */
bool parse_instant(const char *s, double *seconds);
/* Percent of a CPU, more than 0, into CPU ns per second; "none" is BUDGET_NONE. */
bool parse_budget(const char *s, double *ret);
/*
 * A trace format that gotap writes, as go1.22 or without "go1.": the NN; 4 is gotrace, that
 * before Go 1.5.
 */
#define PARSE_FORMATS "gotrace, go1.8, go1.11, go1.19, go1.21, go1.22, go1.23, go1.25 or go1.26"
bool parse_format(const char *s, int *version);
/* auto, dwarf or pclntab. */
bool parse_symbols(const char *s, enum symbol_source *ret);
/* A release of Go from 1.15 on, as 1.27 or go1.27: the NN. */
bool parse_release(const char *s, int *minor);
/* Bytes with an optional K, M or G (of 1024), from @min to @max. */
bool parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *ret);
/* Bytes with an optional K, M or G; a power of two from 4K to 1G. */
bool parse_ring_size(const char *s, size_t *ret);

#endif
