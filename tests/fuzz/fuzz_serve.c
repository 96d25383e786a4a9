// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_serve: requests to `gotap serve` as libmicrohttpd passes them on: lines "p PATH", "a KEY=VALUE", "h HOST", "t
 * AUTHORIZATION", "l ADDRESS", and "j JSON", the output of `gotap ps` for programs with hostile names. A request that
 * is accepted must be within its limits, a refusal must have one line of text; an accepted host must be a number,
 * localhost or a name that is allowed; a page must have no markup from the name of a program.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "serve/address.h"
#include "serve/listing.h"
#include "serve/request.h"
#include "base/token.h"

enum { MAX_SECONDS = 300 };

struct state {
	struct request request;
	struct refusal why;
	bool begun;
};

static void path(struct state *s, char *text)
{
	s->why = (struct refusal){0};
	s->begun = request_begin(&s->request, text, &s->why);
}

static void argument(struct state *s, char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = 0;
	request_prefers_open_metrics(value);
	if (s->begun)
		s->begun = request_argument(&s->request, text, value, &s->why);
}

static void host(struct state *s, char *text)
{
	if (address_is_host(text, "node7,node7.example"))
		must(!strncasecmp(text, "localhost", 9) || !strncasecmp(text, "node7", 5) || strspn(text, "0123456789abcdefABCDEF.:[]") == strlen(text),
		     "a host is a number, localhost, or a name that was allowed");
}

static void authorization(struct state *s, char *text)
{
	static const struct token t = { "a-token-that-is-long-enough" };

	if (token_matches(&t, text))
		must(!strncasecmp(text, "Basic ", 6) || strstr(text, t.text), "only the token matches");
}

static void address(struct state *s, char *text)
{
	char back[ADDRESS_TEXT];
	struct address a;
	struct error err;

	if (address_parse(&a, text, &err))
		must(*err.text, "an error has a text");
	else
		must(!strncmp(address_text(&a, -1, back), a.is_unix ? "unix:" : "http://", 5), "an address has a text");
}

/* Each "<" of a page is of a tag that the page has. */
static void check_page(const struct buf *page)
{
	static const char *const tags[] = {
		"<!DOCTYPE html>", "<html>", "<head>", "</head>", "<meta ", "<title>", "</title>", "<style>", "</style>",
		"<body>", "</body>", "</html>", "<h1>", "</h1>", "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>",
		"<th>", "</th>", "<a href=\"/", "</a>", "<p>", "</p>",
	};
	const char *at = (const char *)page->data, *end = at + page->len;
	size_t i;

	while ((at = memchr(at, '<', (size_t)(end - at)))) {
		for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
			if (!strncmp(at, tags[i], strlen(tags[i])))
				break;
		must(i < sizeof(tags) / sizeof(tags[0]), "a page has only its own tags");
		at++;
	}
}

static void processes(struct state *s, char *text)
{
	static const struct procfs fs = { .dir = "/nothing" };
	struct peer who = { .all = *text != ' ' };
	struct refusal why = {0};
	struct buf out = {0};
	struct listing l;
	pid_t pid;

	if (!listing_parse(&l, text, strlen(text), &fs, &who))
		return;
	if (!listing_find(&l, "x", &pid, &why))
		must(why.status && *why.text, "a refusal has a text");
	listing_page(&l, &out);
	buf_add_byte(&out, 0);
	check_page(&out);
	listing_text(&l, &out);
	listing_json(&l, &out);
	buf_free(&out);
	listing_free(&l);
}

static void settle(struct state *s)
{
	bool ok = s->begun && request_settle(&s->request, MAX_SECONDS, &s->why);

	if (ok) {
		must(s->request.seconds >= 0 && s->request.seconds <= MAX_SECONDS, "a time is within its limits");
		must(s->request.pid >= 0 && s->request.pid <= 999999999, "a pid is one");
		must(s->request.debug >= -1 && s->request.debug <= 2, "debug is one of three");
	} else if (s->why.status) {
		must(s->why.status >= 400 && s->why.status < 500 && *s->why.text, "a refusal has a text");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		char kind;
		void (*run)(struct state *s, char *text);
	} kinds[] = {
		{ 'p', path }, { 'a', argument }, { 'h', host }, { 't', authorization }, { 'l', address }, { 'j', processes },
	};
	char *copy = xstrndup((const char *)data, size), *rest = copy, *line;
	struct state s = {0};
	size_t i;

	while ((line = strsep(&rest, "\n"))) {
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (line[0] == kinds[i].kind && line[1])
				kinds[i].run(&s, line + 2);
	}
	settle(&s);
	free(copy);
	return 0;
}
