/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error: one message on its way from where a fault is found to the command
 * that prints it. Library code fills a struct error and returns -errno; only
 * commands print. A text names the fault and the remedy, in one line, lower
 * case, no full stop.
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

/* Puts "@fmt: " before the text that is already in @err; returns its code. */
int error_prefix(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
