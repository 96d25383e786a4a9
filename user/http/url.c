// SPDX-License-Identifier: Apache-2.0
/* url: see url.h. */
#define _GNU_SOURCE
#include "http/url.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int url_wrong(struct error *err, const char *why)
{
	/* the text may have a password, and is not shown */
	return error_set(err, -EINVAL, "the URL is not http://HOST[:PORT][/PATH]: %s", why);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static int url_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Copies @n bytes, with %XX decoded. False: they do not fit, or a NUL is among them. */
static bool take_decoded(char *ret, size_t size, const char *from, size_t n)
{
	size_t i, len = 0;

	for (i = 0; i < n; i++) {
		char c = from[i];

		if (c == '%' && i + 2 < n && url_hex_digit(from[i + 1]) >= 0 &&
		    url_hex_digit(from[i + 2]) >= 0) {
			c = (char)(url_hex_digit(from[i + 1]) << 4 | url_hex_digit(from[i + 2]));
			i += 2;
		}
		if (!c || len + 1 >= size)
			return false;
		ret[len++] = c;
	}
	ret[len] = 0;
	return true;
}

static bool take_part(char *ret, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return false;
	memcpy(ret, from, n);
	ret[n] = 0;
	return true;
}

static bool take_port(struct url *u, const char *from, size_t n)
{
	return take_part(u->port, sizeof(u->port), from, n) && n &&
	       strspn(u->port, "0123456789") == n && atoi(u->port) > 0 && atoi(u->port) <= 65535;
}

/* HOST[:PORT], of @n bytes. */
static const char *take_host(struct url *u, const char *from, size_t n)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_";
	const char *end = from + n, *colon;

	u->brackets = n && *from == '[';
	colon = u->brackets ? memchr(from, ']', n) : memchr(from, ':', n);
	if (u->brackets && !colon)
		return "']' is missing";
	if (!take_part(u->host, sizeof(u->host), from + u->brackets,
		       (size_t)((colon ? colon : end) - from) - u->brackets) || !*u->host)
		return "it has no host";
	if (strspn(u->host, u->brackets ? "0123456789abcdefABCDEF:." : allowed) != strlen(u->host))
		return "its host is no name and no number";
	if (u->brackets && ++colon == end)
		colon = NULL;
	if (colon && (*colon != ':' || !take_port(u, colon + 1, (size_t)(end - colon) - 1)))
		return "its port is no number from 1 to 65535";
	return NULL;
}

int url_parse(struct url *u, const char *text, struct error *err)
{
	const char *at, *end, *wrong, *rest;

	*u = (struct url){ .port = "80" };
	if (!strncasecmp(text, "https://", 8))
		return error_set(err, -EPROTONOSUPPORT,
				 "gotap itself has no TLS: give an http:// URL of a proxy or an "
				 "agent, or pipe the profile into curl (docs/pprof.md)");
	if (strncasecmp(text, "http://", 7))
		return url_wrong(err, "it begins otherwise");
	if (!is_printable(text))
		return url_wrong(err, "it has a blank, or a byte that is not printable");
	text += 7;
	rest = text + strcspn(text, "/?#");
	if (strchr(rest, '#'))
		return url_wrong(err, "a '#' has no meaning here");
	at = memrchr(text, '@', (size_t)(rest - text));
	if (at && !take_decoded(u->user, sizeof(u->user), text, (size_t)(at - text)))
		return url_wrong(err, "its user or password is too long");
	end = at ? at + 1 : text;
	wrong = take_host(u, end, (size_t)(rest - end));
	if (wrong)
		return url_wrong(err, wrong);
	if (strlen(rest) + 1 >= sizeof(u->path))
		return url_wrong(err, "it is too long");
	snprintf(u->path, sizeof(u->path), "%s%s", *rest == '?' ? "/" : "", rest);
	snprintf(u->shown, sizeof(u->shown), "http://%s%s%s:%s%.*s", u->brackets ? "[" : "",
		 u->host, u->brackets ? "]" : "", u->port, (int)strcspn(u->path, "?"), u->path);
	return 0;
}

void url_add_escaped(struct buf *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	for (; *text; text++) {
		if (strchr(plain, *text))
			buf_add_byte(out, (uint8_t)*text);
		else
			buf_printf(out, "%%%02X", (unsigned int)(unsigned char)*text);
	}
}
