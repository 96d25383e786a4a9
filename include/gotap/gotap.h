/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gotap: reads, writes and rewrites Go execution traces from C.
 *
 *	cc prog.c $(pkg-config --cflags --libs gotap)
 *
 *	gotap/reader.h	returns the events of a trace of any Go release in order, each with its
 *			goroutine, P, thread, stack, texts and meaning
 *	gotap/writer.h	writes a trace that Go's tools open
 *	gotap/rewrite.h	writes a part of a trace, or the readable rest of a damaged trace, as a
 *			new trace
 *	gotap/check.h	checks whether Go's tools accept a trace
 *	gotap/raw.h	reads and writes a trace in the order of its file (batches, ticks,
 *			tables), also as text
 *	gotap/event.h	lists the kinds of events, their arguments, and states
 *
 * examples/ has a program for each of the first three.
 *
 * Rules for all functions:
 *   - A function that can fail returns 0 or a positive value, or a negative errno.
 *     On failure the struct gotap_error has a text: one line without a full stop.
 *     The pointer to the struct may be NULL.
 *   - Handles are opaque. Two threads must not call functions on one handle at the
 *     same time. Handles share no state with each other.
 *   - Structs that may grow are passed with their size, as an argument or as their
 *     first member. A later library appends members: it accepts the smaller structs
 *     of old programs. A library that is older than the program sets the members
 *     that it does not know to 0.
 *   - The library ends the program, with a message, only if memory cannot be
 *     allocated.
 *   - The headers are C89, except for the types of <stdint.h>.
 */
#ifndef GOTAP_GOTAP_H
#define GOTAP_GOTAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Rises with every addition. The soname libgotap.so.2 changes if an existing program would have to
 * change. Symbols have the version GOTAP_2; the symbols of an addition have a later version, as
 * GOTAP_4.
 */
#define GOTAP_API_VERSION 4

#if defined(__GNUC__)
#define GOTAP_API __attribute__((visibility("default")))
#else
#define GOTAP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "None" in place of the number of a goroutine, P, thread or task. */
#define GOTAP_NONE ((uint64_t)-1)

struct gotap_error {
	int code;		/* a negative errno */
	char text[512];
};

/* Bytes without a terminating NUL, of any values. Without bytes @s is "", never NULL. */
struct gotap_text {
	const char *s;
	size_t len;
};

/*
 * Puts at most @n bytes of a trace into @buf. Returns the number of bytes, 0 at the end, or a
 * negative errno, which the library function that needed the bytes returns.
 */
typedef int64_t gotap_read_fn(void *ctx, void *buf, size_t n);

/*
 * The source of a trace: the first of path, read and data that is not NULL, else fd. The caller
 * keeps the ownership: the library does not close the descriptor, and the memory must outlive the
 * reader.
 */
struct gotap_input {
	size_t size;		/* sizeof(struct gotap_input) */
	const char *path;	/* "-" is standard input */
	gotap_read_fn *read;
	void *ctx;		/* first argument of read */
	const void *data;
	size_t len;		/* bytes of data */
	int fd;			/* a file, pipe or socket, read from its current position */
};

/* GOTAP_API_VERSION of the library with which the program runs. */
GOTAP_API int gotap_api_version(void);

#ifdef __cplusplus
}
#endif

#endif
