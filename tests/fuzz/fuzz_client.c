// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_client: the answer of an HTTP server, or a URL; the first byte of the input chooses. The fuzzer asserts that each
 * error text is one line, and fits its buffer.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "http/client.h"

static void check_line(const char *text)
{
	int len;

	for (; *text; text += len)
		must(!show_is_control(show_rune(text, &len)), "nothing changes the terminal");
}

static void check_url(const char *text)
{
	struct error err;
	struct url u;

	if (url_parse(&u, text, &err))
		return;
	must(*u.host && atoi(u.port) > 0 && (!*u.path || *u.path == '/'), "a URL has its parts");
	must(!strpbrk(u.host, " /@?\r\n") && !strpbrk(u.path, " \r\n"), "none of them ends the line of a request");
	check_line(u.shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_answer a;
	char *text;

	if (size && data[0] % 2) {
		text = strndup((const char *)data + 1, size - 1);
		check_url(text);
		free(text);
	} else if (size && http_parse((const char *)data + 1, size - 1, &a)) {
		must(a.status >= 100 && a.status <= 999 && strlen(a.line) < sizeof(a.line), "an answer is within its limits");
	}
	return 0;
}
