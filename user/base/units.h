/* SPDX-License-Identifier: Apache-2.0 */
/* units: durations, times and names as texts: the units of time, and columns of a terminal. */
#ifndef GOTAP_BASE_UNITS_H
#define GOTAP_BASE_UNITS_H

#include <stdint.h>
#include <stdio.h>

struct unit_text {
	char text[32];
};

/* A duration in the largest unit of time in which it is at least 1: 12300 ns is 12.3 "us". */
struct unit_scaled {
	double value;
	uint64_t ns;		/* ns in one unit */
	const char *name;	/* "s", "ms", "us", "ns" */
};

struct unit_scaled unit_scale(double ns);
/* Three digits and a unit: "812 ns", "12.3 us", "1.05 ms", "61.2 s". */
struct unit_text unit_time(int64_t ns);
/* As unit_time(), without the space: "812ns". */
struct unit_text unit_time_close(int64_t ns);
/* Seconds since the trace began, to the microsecond: "1.204511 s". */
struct unit_text unit_instant(int64_t ns);
/* "9.8 %", "0.04 %", "<0.01 %"; "-" if @whole is 0. Only the whole is "100 %". */
struct unit_text unit_share(double part, double whole);
/* "12 345 678" */
struct unit_text unit_count(uint64_t n);
/* "1.1 MB" */
struct unit_text unit_bytes(uint64_t n);
/*
 * Prints foreign text in @width columns. A longer text loses its front, since the end of a
 * function's name identifies it better.
 */
void unit_name(FILE *f, const char *name, unsigned width);

#endif
