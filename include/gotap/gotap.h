/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gotap: read and write Go execution traces from C.
 *
 *	cc prog.c $(pkg-config --cflags --libs gotap)
 *
 * gotap/reader.h gives the events of a trace of any Go release in order, with
 * the goroutine, P and thread they happened on, their stacks and strings;
 * gotap/writer.h writes a trace that Go's tools open; gotap/event.h says what
 * the events mean. examples/ has a program for each.
 *
 * Rules for all of it:
 *  - Functions that can fail return 0 or a positive value, or a negative errno;
 *    a text, one line without a full stop, is in the struct gotap_error then,
 *    which may be NULL where nobody reads it.
 *  - Handles are opaque. What is called on one handle must not be called from
 *    two threads at once; different handles know nothing of each other.
 *  - Structs that the caller provides are passed with their size, so that a
 *    later library, whose structs have more at the end, serves old programs.
 *  - Only memory that cannot be had ends the program, with a message.
 */
#ifndef GOTAP_GOTAP_H
#define GOTAP_GOTAP_H

#include <stddef.h>
#include <stdint.h>

/* Raised with every addition; the library's soname changes if a program has to. */
#define GOTAP_API_VERSION 1

#if defined(__GNUC__)
#define GOTAP_API __attribute__((visibility("default")))
#else
#define GOTAP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "None" in place of the number of a goroutine, P, thread or task. */
#define GOTAP_NONE UINT64_MAX

struct gotap_error {
	int code;		/* negative errno */
	char text[512];
};

/* GOTAP_API_VERSION of the library that is in use. */
GOTAP_API int gotap_api_version(void);

#ifdef __cplusplus
}
#endif

#endif
