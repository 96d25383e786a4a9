// SPDX-License-Identifier: Apache-2.0
/* error: see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!code)
		code = -EINVAL;
	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char rest[sizeof(err->text)];
	va_list ap;
	size_t n;

	if (!err)
		return -EINVAL;
	memcpy(rest, err->text, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s", rest);
	return err->code;
}
