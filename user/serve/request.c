// SPDX-License-Identifier: Apache-2.0
/* request: see request.h. Texts of errors are those of net/http/pprof where that has the error. */
#define _GNU_SOURCE
#include "serve/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/show.h"

/* Default times are those of net/http/pprof; its block profile has none. */
const struct endpoint endpoints[] = {
	{ .path = "/debug/pprof/", .asked = ASKED_INDEX },
	{ .path = "/debug/pprof", .asked = ASKED_INDEX },
	{ .path = "/", .asked = ASKED_INDEX },
	{ .path = "/processes", .asked = ASKED_PROCESSES },
	{ .path = "/processes.json", .asked = ASKED_PROCESSES_JSON },
	{ .path = "/metrics", .asked = ASKED_METRICS },
	{ .path = "/debug/flight/snap", .asked = ASKED_SNAP, .post = true },
	{ .path = "/debug/pprof/block",
	  .asked = ASKED_BLOCK,
	  .name = "block",
	  .seconds = 5,
	  .about = "waits for channels, locks and select that ended meanwhile" },
	{ .path = "/debug/pprof/delta_block", .asked = ASKED_BLOCK, .name = "block", .seconds = 5 },
	{ .path = "/debug/pprof/cmdline",
	  .asked = ASKED_CMDLINE,
	  .about = "the arguments of the program, with NUL between them" },
	{ .path = "/debug/pprof/goroutine",
	  .asked = ASKED_GOROUTINE,
	  .name = "goroutine",
	  .text = true,
	  .about = "all goroutines now" },
	{ .path = "/debug/pprof/goroutineleak",
	  .asked = ASKED_LEAKS,
	  .name = "goroutineleak",
	  .delta = true,
	  .text = true,
	  .about = "goroutines that nothing can wake, as the runtime of Go 1.26 and later finds" },
	{ .path = "/debug/pprof/heap",
	  .asked = ASKED_HEAP,
	  .name = "heap",
	  .delta = true,
	  .text = true,
	  .about = "samples of objects in use" },
	{ .path = "/debug/pprof/allocs",
	  .asked = ASKED_ALLOCS,
	  .name = "allocs",
	  .delta = true,
	  .text = true,
	  .about = "samples of all past allocations" },
	{ .path = "/debug/pprof/mutex",
	  .asked = ASKED_MUTEX,
	  .name = "mutex",
	  .delta = true,
	  .text = true,
	  .about = "stacks of holders of contended locks, if the program has that profile on" },
	{ .path = "/debug/pprof/profile",
	  .asked = ASKED_PROFILE,
	  .name = "profile",
	  .seconds = 30,
	  .about = "CPU profile",
	  .failed = "Could not enable CPU profiling: " },
	{ .path = "/debug/pprof/trace",
	  .asked = ASKED_TRACE,
	  .name = "trace",
	  .seconds = 1,
	  .fractions = true,
	  .about = "execution trace, for go tool trace and gotap report",
	  .failed = "Could not enable tracing: " },
	{ .path = "/debug/requests",
	  .asked = ASKED_REQUESTS,
	  .name = "requests",
	  .shown = true,
	  .seconds = 5,
	  .fractions = true,
	  .about = "the requests that its servers answer meanwhile, by route",
	  .failed = "Could not record requests: " },
	{ .path = "/debug/requests.json",
	  .asked = ASKED_REQUESTS_JSON,
	  .name = "requests",
	  .shown = true,
	  .seconds = 5,
	  .fractions = true,
	  .failed = "Could not record requests: " },
	{ 0 },
};

/* Profiles of net/http/pprof that take the help of the program's runtime. */
static const char *const inside_only[] = { "symbol", "threadcreate" };

bool refuse(struct refusal *r, unsigned int status, const char *fmt, ...)
{
	va_list ap;

	r->status = status;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
	return false;
}

static bool no_such_path(const char *path, struct refusal *why)
{
	static const char prefix[] = "/debug/pprof/";
	const char *name = path + strlen(prefix);
	size_t i;

	if (strncmp(path, prefix, strlen(prefix)))
		return refuse(why, 404, "404 page not found");
	for (i = 0; i < sizeof(inside_only) / sizeof(inside_only[0]); i++)
		if (!strcmp(name, inside_only[i]))
			return refuse(why, 404,
				      "Unknown profile: only the program itself can make %s", name);
	return refuse(why, 404, "Unknown profile");
}

bool request_begin(struct request *r, const char *path, struct refusal *why)
{
	const struct endpoint *e;

	*r = (struct request){ .debug = REQUEST_NOT_GIVEN };
	for (e = endpoints; e->path; e++) {
		if (!strcmp(path, e->path)) {
			r->endpoint = e;
			return true;
		}
	}
	return no_such_path(path, why);
}

/* --- arguments --- */

/*
 * Digits, with one point among them if @fractions. request_settle() refuses what is beyond the
 * limit.
 */
static bool parse_seconds(const char *s, bool fractions, double *ret)
{
	size_t n = strlen(s), digits = strspn(s, "0123456789"), rest = digits;

	if (fractions && s[digits] == '.')
		rest += 1 + strspn(s + digits + 1, "0123456789");
	if (!digits || rest != n)
		return false;
	*ret = strtod(s, NULL);
	return *ret > 0;
}

static bool take_seconds(struct request *r, const char *value, struct refusal *why)
{
	const struct endpoint *e = r->endpoint;

	if (r->seconds > 0)
		return true;
	if (e->name && !e->seconds && !e->delta)
		return refuse(why, 400,
			      "\"seconds\" parameter is not supported for this profile type");
	if ((e->seconds || e->delta) && !parse_seconds(value, e->fractions, &r->seconds))
		return refuse(why, 400, "invalid value for \"seconds\" - must be a positive %s",
			      e->fractions ? "number" : "integer");
	return true;
}

static bool take_pid(struct request *r, const char *value, struct refusal *why)
{
	enum { LONGEST = 9 };
	size_t n = strlen(value);

	if (r->pid)
		return true;
	if (n && n <= LONGEST && strspn(value, "0123456789") == n)
		r->pid = (pid_t)atoi(value);
	return r->pid ? true :
			refuse(why, 400, "invalid value for \"pid\" - must be the id of a process");
}

static bool take_debug(struct request *r, const char *value, struct refusal *why)
{
	if (r->debug != REQUEST_NOT_GIVEN)
		return true;
	if (!strchr("012", value[0]) || !value[0] || value[1])
		return refuse(why, 400, "invalid value for \"debug\" - must be 0, 1 or 2");
	r->debug = value[0] - '0';
	return true;
}

static bool take_name(struct request *r, const char *value, struct refusal *why)
{
	if (*r->name)
		return true;
	if (!*value || strlen(value) >= sizeof(r->name))
		return refuse(
			why, 400,
			"invalid value for \"name\" - must be the name of a program or container");
	strcpy(r->name, value);
	return true;
}

/* Letters, digits and .-_: what a name of a host and an id have. */
static bool is_word(const char *text, size_t size)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_";

	return *text && strlen(text) < size && strspn(text, allowed) == strlen(text);
}

static bool take_id(struct request *r, const char *value, struct refusal *why)
{
	if (!is_word(value, sizeof(r->snap.id)))
		return refuse(why, 400,
			      "invalid value for \"id\" - must be letters and digits, at most %zu",
			      sizeof(r->snap.id) - 1);
	strcpy(r->snap.id, value);
	return true;
}

static bool take_from(struct request *r, const char *value, struct refusal *why)
{
	if (!is_word(value, sizeof(r->snap.from)))
		return refuse(why, 400,
			      "invalid value for \"from\" - must be the name of a host");
	strcpy(r->snap.from, value);
	return true;
}

static bool take_hops(struct request *r, const char *value, struct refusal *why)
{
	if (!strchr("012345678", value[0]) || value[1])
		return refuse(why, 400, "invalid value for \"hops\" - must be 0 to %d", SNAP_HOPS);
	r->snap.hops = (uint32_t)(value[0] - '0');
	return true;
}

static bool take_reason(struct request *r, const char *value, struct refusal *why)
{
	size_t i;

	for (i = 0; value[i] && i < sizeof(r->snap.reason) - 1; i++)
		r->snap.reason[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
	r->snap.reason[i] = 0;
	return true;
}

bool snap_is_valid(const struct snap *s)
{
	const char *p;

	if (s->hops > SNAP_HOPS || !memchr(s->id, 0, sizeof(s->id)) ||
	    !memchr(s->from, 0, sizeof(s->from)) || !memchr(s->reason, 0, sizeof(s->reason)))
		return false;
	for (p = s->reason; *p; p++)
		if (*p < ' ' || *p > '~')
			return false;
	return (!*s->id || is_word(s->id, sizeof(s->id))) &&
	       (!*s->from || is_word(s->from, sizeof(s->from)));
}

bool request_is_post(const char *path)
{
	const struct endpoint *e;

	for (e = endpoints; e->path; e++)
		if (!strcmp(path, e->path))
			return e->post;
	return false;
}

bool request_argument(struct request *r, const char *key, const char *value, struct refusal *why)
{
	static const struct {
		const char *key;
		bool (*take)(struct request *r, const char *value, struct refusal *why);
	} known[] = {
		{ "seconds", take_seconds },
		{ "pid", take_pid },
		{ "debug", take_debug },
		{ "name", take_name },
		{ "id", take_id },
		{ "from", take_from },
		{ "hops", take_hops },
		{ "reason", take_reason },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(key, known[i].key) && value && *value)
			return known[i].take(r, value, why);
	return true;
}

/* --- the form of metrics --- */

/* The value of a parameter like "q" among those of a range, up to @end; NULL: there is none. */
static const char *parameter_of(const char *range, const char *end, const char *name)
{
	const char *at = range;

	while ((at = memchr(at, ';', (size_t)(end - at)))) {
		at += 1 + strspn(at + 1, " \t");
		if (at >= end)
			return NULL;
		if (!strncasecmp(at, name, strlen(name)) && at[strlen(name)] == '=')
			return at + strlen(name) + 1;
	}
	return NULL;
}

/* The weight of a range; 1 if it has none. */
static double weight_of(const char *range, const char *end)
{
	const char *q = parameter_of(range, end, "q");
	double ret = q ? strtod(q, NULL) : 1;

	return ret >= 0 && ret <= 1 ? ret : 0;
}

static bool is_range(const char *range, const char *end, const char *type)
{
	size_t n = strlen(type);

	return (size_t)(end - range) >= n && !strncasecmp(range, type, n) &&
	       (range + n == end || strchr("; \t", range[n]));
}

/* The only version that is written is 1.0; a range without a version takes it. */
static bool is_open_metrics(const char *range, const char *end)
{
	const char *version = parameter_of(range, end, "version");

	return is_range(range, end, "application/openmetrics-text") &&
	       (!version || !strncmp(version, "1.0", 3));
}

bool request_prefers_open_metrics(const char *accept)
{
	double open = 0, text = 0;
	const char *at = accept, *end;

	for (; at && *at; at = *end ? end + 1 : end) {
		at += strspn(at, " \t");
		end = strchrnul(at, ',');
		if (is_open_metrics(at, end) && weight_of(at, end) > open)
			open = weight_of(at, end);
		if (is_range(at, end, "text/plain") && weight_of(at, end) > text)
			text = weight_of(at, end);
	}
	return open > 0 && open >= text;
}

/* --- all of it --- */

static bool request_is_about_a_process(const struct request *r)
{
	return r->endpoint->name || r->endpoint->asked == ASKED_CMDLINE;
}

bool request_settle(struct request *r, double max_seconds, struct refusal *why)
{
	bool text = r->debug > 0;

	if (r->pid && *r->name)
		return refuse(why, 400, "\"pid\" and \"name\" params are incompatible");
	if (request_is_about_a_process(r) && !r->pid && !*r->name)
		return refuse(why, 400,
			      "\"pid\" or \"name\" is needed: /processes lists the processes");
	if (r->endpoint->asked == ASKED_SNAP && (!*r->snap.id || !*r->snap.from))
		return refuse(why, 400, "\"id\" and \"from\" are needed: which incident, and who "
			      "asks");
	if (text && r->endpoint->name && !r->endpoint->text)
		return refuse(why, 400,
			      "debug=%d: there is no text of this profile, leave \"debug\" out",
			      r->debug);
	if (r->seconds <= 0)
		r->seconds = r->endpoint->seconds;
	if (r->seconds > max_seconds)
		return refuse(
			why, 400,
			"profile duration exceeds the limit of %g seconds (gotap serve --max-time)",
			max_seconds);
	return true;
}
