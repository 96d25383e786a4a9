/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gotap: read, write and rewrite Go execution traces from C.
 *
 *	cc prog.c $(pkg-config --cflags --libs gotap)
 *
 *	gotap/reader.h	the events of a trace of any Go release in order, with the goroutine, P
 *			and thread they happened on, their stacks, texts and meaning
 *	gotap/writer.h	writes a trace that Go's tools open
 *	gotap/rewrite.h	a part of a trace, or what is left of a damaged one, as another trace
 *	gotap/check.h	is a trace one that Go's tools take?
 *	gotap/raw.h	a trace as it stands in the file: batches, ticks, tables; as text, and back
 *	gotap/event.h	the kinds of events, their arguments, and states
 *
 * examples/ has a program for each of the first three.
 *
 * Rules for all of it:
 *  - Functions that can fail return 0 or a positive value, or a negative errno;
 *    a text, one line without a full stop, is in the struct gotap_error then,
 *    which may be NULL where nobody reads it.
 *  - Handles are opaque. What is called on one handle must not be called from
 *    two threads at once; different handles know nothing of each other.
 *  - Structs that grow are passed with their size, in the call or as their first
 *    member: a later library, whose structs have more at the end, serves old
 *    programs, and gives zeros to what a newer program has at the end.
 *  - Only memory that cannot be had ends the program, with a message.
 *  - The headers are C89 but for the types of <stdint.h>.
 */
#ifndef GOTAP_GOTAP_H
#define GOTAP_GOTAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Raised with every addition. The soname is libgotap.so.2 and changes if a program has to. The
 * symbols have the version GOTAP_2; those of an addition have one of its own, as GOTAP_3.
 */
#define GOTAP_API_VERSION 3

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
	int code;		/* negative errno */
	char text[512];
};

/* Bytes that need not end with a NUL and may hold any; "" where there are none, never NULL. */
struct gotap_text {
	const char *s;
	size_t len;
};

/*
 * Puts at most @n bytes of a trace to @buf: returns how many, 0 at the end, or a negative errno,
 * which becomes the error of the call that needed the bytes.
 */
typedef int64_t gotap_read_fn(void *ctx, void *buf, size_t n);

/*
 * Where a trace is read from: the first of path, read and data that is not NULL, else fd. What
 * it refers to stays the caller's: a descriptor is not closed, memory must outlive the reader.
 */
struct gotap_input {
	size_t size;		/* sizeof(struct gotap_input) */
	const char *path;	/* "-": standard input */
	gotap_read_fn *read;
	void *ctx;		/* of read */
	const void *data;
	size_t len;		/* of data */
	int fd;			/* a file, pipe or socket, from where it stands */
};

/* GOTAP_API_VERSION of the library that is in use. */
GOTAP_API int gotap_api_version(void);

#ifdef __cplusplus
}
#endif

#endif
