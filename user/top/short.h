/* SPDX-License-Identifier: Apache-2.0 */
/* short: formats numbers in at most six columns, for the table of `gotap top`. */
#ifndef GOTAP_TOP_SHORT_H
#define GOTAP_TOP_SHORT_H

#include <stdint.h>

struct short_text {
	char text[24];
};

/* "812ns", "12.3us", "1.05ms", "61.2s" */
struct short_text short_time(uint64_t ns);
/* "12345", "123k", "12.3M" */
struct short_text short_count(uint64_t n);
/* "0", "0.04", "1.25", "83.1", "1204"; "-" for a negative value: not known */
struct short_text short_real(double value);
/* "512 B", "4.1 MB" */
struct short_text short_bytes(uint64_t n);

#endif
