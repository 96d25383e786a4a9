/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error: a message that goes from the place of a fault to the command that prints it. Library code
 * fills a struct error and returns -errno; only commands print. A text names the fault and the
 * remedy, in one line, in lower case, without a full stop.
 */
#ifndef GOTAP_BASE_ERROR_H
#define GOTAP_BASE_ERROR_H

struct error {
	int code;	/* negative errno, 0 = no error */
	char text[512];
};

/*
 * Fills @err (which may be NULL) with @code and the formatted text and returns
 * @code, so that a caller can write `return error_set(err, -EINVAL, ...)`.
 * A negative errno is expected; 0 is taken as -EINVAL.
 */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts the formatted text and ": " before the text in @err; returns the code of @err. */
int error_prefix(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
