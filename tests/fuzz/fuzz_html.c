// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_html: any bytes as a trace, made into a page. All data of the page are in script elements as
 * base64, so that no name of the trace can end one: the page has as many elements as data.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "html/html.h"

static size_t count(const char *page, size_t n, const char *what)
{
	const char *end = page + n, *at = page;
	size_t found = 0;

	while ((at = memmem(at, (size_t)(end - at), what, strlen(what)))) {
		at += strlen(what);
		found++;
	}
	return found;
}

static void look(int fd)
{
	size_t n = (size_t)lseek(fd, 0, SEEK_END);
	char *page = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);

	must(page != MAP_FAILED && n <= HTML_LIMIT, "a page has no more than its limit");
	must(count(page, n, "<script") == count(page, n, "</script>"), "each element ends");
	must(count(page, n, "type=\"application/octet-stream\"") + 1 == count(page, n, "</script>"),
	     "there is one script, and data");
	must(!memcmp(page + n - 8, "</html>\n", 8), "the page is whole");
	munmap(page, n);
}

/* Places of findings can lie anywhere. The first bytes of the input are the times of one. */
static void put_page(struct html *h, const uint8_t *data, size_t size)
{
	struct html_place places[2] = { { 0, 1000, 1 }, { -5, INT64_MAX, 7 } };
	struct html_about about = { .file = "</script><script>", .version = 25, .places = places,
				    .nplaces = 2, .report = "{}", .units = "null" };
	int fd = memfd_create("page", MFD_CLOEXEC);
	struct error err;

	if (size >= sizeof(places[0]))
		memcpy(&places[0], data, sizeof(places[0]));
	must(!html_write(h, fd, &about, &err), "a page is written");
	look(fd);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spans *spans = spans_new();
	struct html *h = html_new(spans);
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);

	if (r) {
		(void)spans_read(spans, r, &err);
		trace_reader_close(r);
	}
	put_page(h, data, size);
	html_free(h);
	spans_free(spans);
	return 0;
}
