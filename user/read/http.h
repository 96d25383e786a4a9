/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: the log event at the end of a served request. Its category is HTTP_CATEGORY; the message is
 * a line of KEY=VALUE, separated by spaces, in this order. A text that has a space, a quote or a
 * byte below 0x20 is quoted as in Go (strconv.Quote). A key that is not known is left out.
 *
 *	status	of the response; 200 if the handler has set none
 *	bytes	of the body of the response
 *	path	of the URL
 *	end	panic: the handler did not return (also of runtime.Goexit); hijacked: it took the
 *		connection over, so that status and bytes are not known
 *	proto	h2 for HTTP/2
 */
#ifndef GOTAP_READ_HTTP_H
#define GOTAP_READ_HTTP_H

#define HTTP_CATEGORY "gotap.http"

/*
 * The ids of the tasks that stand for requests are above this one. The ids of runtime/trace count
 * from 1 on, and do not get there.
 */
#define HTTP_TASKS (1ULL << 62)

#endif
