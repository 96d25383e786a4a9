/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func: log events about calls of functions (`record --region`), which are regions with the name
 * of the function. Their category is FUNC_CATEGORY, their task that of the region; the message is
 * a line of KEY=VALUE as read/http.h has it. Each comes right before the event that it is about.
 *
 *	func	the function
 *	end	unwound: the region ends here because the goroutine left the call without a return
 *		(a panic, runtime.Goexit); it ended at some time before. lost: records were lost,
 *		and it is not known when it ended
 *	arg.NAME	with --region-args, behind the begin of the region: an argument
 *	result.NAME	likewise, before its end: a result
 */
#ifndef GOTAP_READ_FUNC_H
#define GOTAP_READ_FUNC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FUNC_CATEGORY "gotap.func"

static inline bool func_log_ends(const char *message, size_t len, const char *end)
{
	return len >= strlen(end) && !memcmp(message + len - strlen(end), end, strlen(end));
}

/* Does a log event of this category say that the region that ends next was left before? */
static inline bool func_log_is_left(const char *category, size_t n, const char *message, size_t len)
{
	return n == strlen(FUNC_CATEGORY) && !memcmp(category, FUNC_CATEGORY, n) &&
	       (func_log_ends(message, len, " end=unwound") ||
		func_log_ends(message, len, " end=lost"));
}

#endif
