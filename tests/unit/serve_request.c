// SPDX-License-Identifier: Apache-2.0
/*
 * serve: which requests are taken, and what the refusal of the others says; the list of processes, as text and as a
 * page.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>

#include "serve/listing.h"
#include "serve/request.h"

enum { MAX_SECONDS = 60 };

/* @line: "path?key=value&key=value". Returns the HTTP status of the refusal, or 0 if the request is taken. */
static unsigned int ask_why(const char *line, struct request *r, char text[400])
{
	char *copy = strdup(line), *rest = copy, *path = strsep(&rest, "?"), *pair;
	struct refusal why = {0};
	bool ok = request_begin(r, path, &why);

	while (ok && rest && (pair = strsep(&rest, "&"))) {
		char *key = strsep(&pair, "=");

		ok = request_argument(r, key, pair, &why);
	}
	ok = ok && request_settle(r, MAX_SECONDS, &why);
	CHECK(ok == !why.status);
	CHECK(!strchr(why.text, '\n') && (ok || *why.text));
	free(copy);
	snprintf(text, 400, "%s", why.text);
	return why.status;
}

static unsigned int ask(const char *line, struct request *r)
{
	char text[400];

	return ask_why(line, r, text);
}

static void requests_are_those_of_net_http_pprof(void)
{
	struct request r;

	CHECK_EQ(ask("/debug/pprof/trace?pid=12", &r), 0);
	CHECK(r.endpoint->asked == ASKED_TRACE && r.pid == 12 && r.seconds == 1);
	CHECK_EQ(ask("/debug/pprof/trace?pid=12&seconds=0.25", &r), 0);
	CHECK(r.seconds == 0.25);
	CHECK_EQ(ask("/debug/pprof/profile?seconds=&pid=12", &r), 0);
	CHECK(r.seconds == 30);
	CHECK_EQ(ask("/debug/pprof/goroutine?name=caddy&debug=2", &r), 0);
	CHECK(!strcmp(r.name, "caddy") && r.debug == 2 && !r.pid);
	CHECK_EQ(ask("/debug/requests?pid=12&seconds=2.5", &r), 0);
	CHECK(r.endpoint->asked == ASKED_REQUESTS && r.seconds == 2.5);
	CHECK_EQ(ask("/debug/requests.json?name=caddy", &r), 0);
	CHECK(r.endpoint->asked == ASKED_REQUESTS_JSON && r.seconds == 5);
	CHECK_EQ(ask("/debug/requests", &r), 400);
	CHECK_EQ(ask("/debug/pprof/", &r), 0);
	CHECK(r.endpoint->asked == ASKED_INDEX);
}

static void the_first_of_several_arguments_counts(void)
{
	struct request r;

	CHECK_EQ(ask("/debug/pprof/profile?seconds=14&pid=3&seconds=15&pid=4&gc=1&debug=0&debug=1", &r), 0);
	CHECK(r.seconds == 14 && r.pid == 3 && !r.debug);
}

static void what_cannot_be_answered_is_refused(void)
{
	static const struct { const char *line; unsigned int status; } rows[] = {
		{ "/debug/pprof/trace", 400 }, { "/debug/pprof/trace?pid", 400 }, { "/debug/pprof/trace?pid=", 400 },
		{ "/debug/pprof/trace?pid=0", 400 }, { "/debug/pprof/trace?pid=-1", 400 },
		{ "/debug/pprof/trace?pid=1x", 400 }, { "/debug/pprof/trace?pid=9999999999", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=0", 400 }, { "/debug/pprof/trace?pid=1&seconds=1e9", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=nan", 400 }, { "/debug/pprof/trace?pid=1&seconds=0x10", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=-1", 400 }, { "/debug/pprof/trace?pid=1&seconds=61", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=1.", 0 }, { "/debug/pprof/trace?pid=1&seconds=.5", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=99999999999999999999", 400 },
		{ "/debug/pprof/profile?pid=1&seconds=1.5", 400 }, { "/debug/pprof/block?pid=1&seconds=60", 0 },
		{ "/debug/pprof/goroutine?pid=1&seconds=5", 400 }, { "/debug/pprof/goroutine?pid=1&debug=3", 400 },
		{ "/debug/pprof/goroutine?pid=1&debug=11", 400 }, { "/debug/pprof/block?pid=1&debug=1", 400 },
		{ "/debug/pprof/trace?pid=1&name=x", 400 }, { "/debug/pprof/symbol?pid=1", 404 },
		{ "/debug/pprof/nothing", 404 }, { "/debug/pprof/trace/", 404 }, { "/etc/passwd", 404 },
		{ "//", 404 }, { "", 404 }, { "/processes", 0 }, { "/debug/pprof/cmdline", 400 },
	};
	struct request r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int status = ask(rows[i].line, &r);

		if (status != rows[i].status)
			printf("# %s: %u\n", rows[i].line, status);
		CHECK_EQ(status, rows[i].status);
	}
}

/*
 * A number with many digits is not refused as "no number": if it is too large the refusal names the limit. Clients may
 * write 17 digits, as for 0.1 + 0.2.
 */
static void a_number_of_many_digits_is_a_number(void)
{
	char line[700] = "/debug/pprof/trace?pid=1&seconds=99999999999999999999", text[400];
	struct request r;

	CHECK_EQ(ask_why(line, &r, text), 400);
	CHECK(strstr(text, "limit of 60 seconds"));
	memset(line + strlen(line), '9', 400);	/* infinite for a double */
	CHECK_EQ(ask_why(line, &r, text), 400);
	CHECK(strstr(text, "limit of 60 seconds"));
	CHECK_EQ(ask("/debug/pprof/trace?pid=1&seconds=0.30000000000000004", &r), 0);
	CHECK(r.seconds == 0.1 + 0.2);
}

static void a_name_that_is_too_long_is_refused(void)
{
	char line[400] = "/debug/pprof/trace?name=";
	struct request r;

	memset(line + strlen(line), 'x', 255);
	CHECK_EQ(ask(line, &r), 0);
	CHECK_EQ(strlen(r.name), 255);
	strcat(line, "x");
	CHECK_EQ(ask(line, &r), 400);
}

/* --- lists --- */

static void a_command_that_is_cut_says_so(void)
{
	static const char json[] =
		"{\"processes\":[{\"pid\":7,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"a b\",\"command_cut\":true},"
		"{\"pid\":8,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"c d\",\"command_cut\":false},"
		"{\"pid\":9,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"\",\"exe\":\"/bin/e\",\"command_cut\":false}]}";
	const struct peer sees_all = { .all = true };
	struct buf text = {0}, page = {0};
	struct listing l;

	CHECK(listing_parse(&l, json, sizeof(json) - 1, NULL, &sees_all));
	listing_text(&l, &text);
	listing_page(&l, &page);
	buf_add_byte(&text, 0);
	buf_add_byte(&page, 0);
	CHECK(strstr((char *)text.data, " a b ...\n") != NULL);
	CHECK(strstr((char *)text.data, " c d\n") != NULL);
	CHECK(strstr((char *)text.data, " /bin/e\n") != NULL);
	CHECK(strstr((char *)page.data, "<td>a b ...</td>") != NULL);
	CHECK(strstr((char *)page.data, "<td>c d</td>") != NULL);
	buf_free(&text);
	buf_free(&page);
	listing_free(&l);
}

static void metrics_have_the_form_that_the_client_prefers(void)
{
	/* Prometheus 2.42 and 3.x, curl, browsers */
	static const char *const open[] = {
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
		"text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;q=0.4,*/*;q=0.2",
		"application/openmetrics-text", "text/plain;q=0.1, application/openmetrics-text; q=0.1",
	};
	static const char *const text[] = {
		"*/*", "", "text/html,application/xhtml+xml,*/*;q=0.8", "application/openmetrics-text;version=2.0.0",
		"text/plain;version=0.0.4,application/openmetrics-text;q=0.5", "application/openmetrics-text;q=0",
		"application/openmetrics-textual", ",,;q=1,", "application/openmetrics-text;q=nan",
	};
	size_t i;

	CHECK(!request_prefers_open_metrics(NULL));
	for (i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		CHECK(request_prefers_open_metrics(open[i]));
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		CHECK(!request_prefers_open_metrics(text[i]));
}

static const char *snap_argument(struct request *r, const char *key, const char *value, struct refusal *why)
{
	*why = (struct refusal){0};
	return request_argument(r, key, value, why) ? NULL : why->text;
}

static void a_peer_names_its_incident(void)
{
	static const char *const wrong[][2] = {
		{ "id", "a b" }, { "id", "a\nb" }, { "id", "0123456789012345678901234567890123" }, { "from", "a b" }, { "from", "\"x" },
		{ "hops", "9" }, { "hops", "10" }, { "hops", "-1" }, { "hops", "x" },
	};
	char many[300];
	struct refusal why = {0};
	struct request r;
	size_t i;

	CHECK(request_is_post("/debug/flight/snap") && !request_is_post("/metrics") && !request_is_post("/x"));
	CHECK(request_begin(&r, "/debug/flight/snap", &why));
	CHECK(!request_settle(&r, 300, &why));
	CHECK(strstr(why.text, "\"id\" and \"from\" are needed"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(snap_argument(&r, wrong[i][0], wrong[i][1], &why) && why.status == 400);
	memset(many, '\x1b', sizeof(many) - 1);
	many[299] = 0;
	CHECK(!snap_argument(&r, "id", "0f-1", &why) && !snap_argument(&r, "from", "node7.example", &why));
	CHECK(!snap_argument(&r, "hops", "3", &why) && !snap_argument(&r, "reason", many, &why));
	CHECK(request_settle(&r, 300, &why) && snap_is_valid(&r.snap));
	CHECK(r.snap.hops == 3 && strlen(r.snap.reason) == SNAP_REASON - 1 && r.snap.reason[0] == '?');
	r.snap.reason[0] = '\n';
	CHECK(!snap_is_valid(&r.snap));
	r.snap.reason[0] = 0;
	r.snap.hops = 9;
	CHECK(!snap_is_valid(&r.snap));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(requests_are_those_of_net_http_pprof),
		UNIT(the_first_of_several_arguments_counts),
		UNIT(what_cannot_be_answered_is_refused),
		UNIT(a_number_of_many_digits_is_a_number),
		UNIT(a_name_that_is_too_long_is_refused),
		UNIT(a_command_that_is_cut_says_so),
		UNIT(a_peer_names_its_incident),
		UNIT(metrics_have_the_form_that_the_client_prefers),
		{0},
	});
}
