/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url: addresses of HTTP servers that gotap itself asks: http://[USER:PASSWORD@]HOST[:PORT][/PATH].
 * Messages show them without user, password and arguments.
 */
#ifndef GOTAP_HTTP_URL_H
#define GOTAP_HTTP_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

enum { URL_HOST = 256, URL_PATH = 1024, URL_USER = 256, URL_SHOWN = URL_HOST + URL_PATH + 24 };

struct url {
	char host[URL_HOST];		/* without brackets */
	bool brackets;			/* the number of an IPv6 address */
	char port[6];
	char path[URL_PATH];		/* with a slash at its begin, and its arguments; or "" */
	char user[2 * URL_USER];	/* "USER:PASSWORD", decoded; "": none */
	char shown[URL_SHOWN];		/* for messages */
};

/*
 * -EINVAL: it is no such address; -EPROTONOSUPPORT: it begins with https:, which gotap does not
 * have.
 */
int url_parse(struct url *u, const char *text, struct error *err);

/* Appends @text as a part of an argument: all other bytes than A-Za-z0-9-._~ as %XX. */
void url_add_escaped(struct buf *out, const char *text);

#endif
