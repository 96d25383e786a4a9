// SPDX-License-Identifier: Apache-2.0
/* facts: see facts.h. */
#define _GNU_SOURCE
#include "otlp/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read/grpc.h"
#include "read/http.h"
#include "read/text_quote.h"

/* The form of a key: how its value becomes an attribute. */
typedef void facts_put_fn(struct otlp_facts *f, const char *attribute, const char *value, size_t n);

struct facts_key {
	const struct otlp_category *category;
	const char *key, *attribute;
	facts_put_fn *put;
};

struct otlp_category {
	const char *name;
	enum otlp_kind kind;
	/* adds what follows from several keys, and from the name of the operation */
	void (*rest)(struct otlp_facts *f, const char *name);
	bool of_region;
};

/* --- texts and attributes --- */

static size_t facts_keep(struct otlp_facts *f, const char *text, size_t n)
{
	size_t at = f->text.len;

	buf_add(&f->text, text, n);
	buf_add_byte(&f->text, 0);
	return at;
}

static const char *facts_at(const struct otlp_facts *f, size_t at)
{
	return (const char *)f->text.data + at;
}

static const struct otlp_attr *facts_find(const struct otlp_facts *f, const char *key)
{
	size_t i;

	for (i = 0; i < f->attrs.len; i++) {
		const struct otlp_attr *a = vec_at(&f->attrs, struct otlp_attr, i);

		if (!strcmp(facts_at(f, a->key), key))
			return a;
	}
	return NULL;
}

/* A key that is there has its value: keys of a span are unique. NULL: it is there. */
static struct otlp_attr *facts_push(struct otlp_facts *f, const char *key)
{
	struct otlp_attr *a;

	if (facts_find(f, key))
		return NULL;
	a = vec_push(&f->attrs, sizeof(*a));
	a->key = facts_keep(f, key, strlen(key));
	return a;
}

void facts_add_text(struct otlp_facts *f, const char *key, const char *value, size_t n)
{
	struct otlp_attr *a = n ? facts_push(f, key) : NULL;

	if (a)
		a->value = facts_keep(f, value, n);
}

void facts_add_number(struct otlp_facts *f, const char *key, int64_t value)
{
	struct otlp_attr *a = facts_push(f, key);

	if (!a)
		return;
	a->number = value;
	a->is_number = true;
}

void facts_event_text(struct otlp_facts *f, const char *key, const char *value)
{
	struct otlp_attr *a;

	if (!*value)
		return;
	a = vec_push(&f->of_events, sizeof(*a));
	a->key = facts_keep(f, key, strlen(key));
	a->value = facts_keep(f, value, strlen(value));
}

void facts_event_number(struct otlp_facts *f, const char *key, int64_t value)
{
	struct otlp_attr *a = vec_push(&f->of_events, sizeof(*a));

	a->key = facts_keep(f, key, strlen(key));
	a->number = value;
	a->is_number = true;
}

static void facts_add_word(struct otlp_facts *f, const char *key, const char *value)
{
	facts_add_text(f, key, value, strlen(value));
}

/* The text of an attribute, valid until the next one is added; NULL: there is none. */
static const char *facts_text_of(const struct otlp_facts *f, const char *key)
{
	const struct otlp_attr *a = facts_find(f, key);

	return a && !a->is_number ? facts_at(f, a->value) : NULL;
}

/* The number of an attribute, -1: there is none. */
static int64_t facts_number_of(const struct otlp_facts *f, const char *key)
{
	const struct otlp_attr *a = facts_find(f, key);

	return a && a->is_number ? a->number : -1;
}

/* Sets the status to error, for which @type is the class. */
static void facts_fail(struct otlp_facts *f, const char *type)
{
	f->error = true;
	facts_add_word(f, "error.type", type);
}

/* --- forms of values --- */

static void facts_put_number(struct otlp_facts *f, const char *attribute, const char *value,
			     size_t n)
{
	char digits[24] = "", *end;
	unsigned long long number;

	if (n && n < sizeof(digits))
		memcpy(digits, value, n);
	number = strtoull(digits, &end, 10);
	if (*digits >= '0' && *digits <= '9' && !*end && number <= INT64_MAX)
		facts_add_number(f, attribute, (int64_t)number);
}

static void facts_put_text(struct otlp_facts *f, const char *attribute, const char *value, size_t n)
{
	facts_add_text(f, attribute, value, n);
}

static void facts_put_nothing(struct otlp_facts *f, const char *attribute, const char *value,
			      size_t n)
{
}

/* "h2" and "HTTP/1.1" are versions 2 and 1.1 of protocol http. */
static void facts_put_protocol(struct otlp_facts *f, const char *attribute, const char *value,
			       size_t n)
{
	const char *slash = memchr(value, '/', n);
	size_t skip = slash ? (size_t)(slash - value) + 1 : n && *value == 'h' ? 1 : 0;

	facts_add_text(f, attribute, value + skip, n - skip);
}

/* "10.0.0.1:80", "[::1]:80" or a host: its port is an attribute of its own. */
static void facts_put_address(struct otlp_facts *f, const char *attribute, const char *value,
			      size_t n)
{
	const char *colon = memrchr(value, ':', n);
	size_t host = colon && (*value == '[' ? colon[-1] == ']' :
				memchr(value, ':', n) == (const void *)colon) ?
			      (size_t)(colon - value) : n;
	bool brackets = host > 1 && *value == '[' && value[host - 1] == ']';
	char port[32];

	facts_add_text(f, attribute, value + brackets, host - 2 * brackets);
	if (host == n)
		return;
	snprintf(port, sizeof(port), "%.*s.port", (int)strcspn(attribute, "."), attribute);
	facts_put_number(f, port, colon + 1, n - host - 1);
}

static void facts_put_side(struct otlp_facts *f, const char *attribute, const char *value,
			   size_t n)
{
	if (n == strlen("server") && !memcmp(value, "server", n))
		f->kind = OTLP_SERVER;
}

/* "1" is an error of which nothing else is known. */
static void facts_put_failed(struct otlp_facts *f, const char *attribute, const char *value,
			     size_t n)
{
	if (n != 1 || *value != '0')
		facts_fail(f, "_OTHER");
}

/* The message of a status. Whether it is an error is up to the code. */
static void facts_put_message(struct otlp_facts *f, const char *attribute, const char *value,
			      size_t n)
{
	f->message = facts_keep(f, value, n);
}

/* The names of drivers of database/sql whose systems have other names in the conventions. */
static void facts_put_system(struct otlp_facts *f, const char *attribute, const char *value,
			     size_t n)
{
	static const char *const systems[][2] = {
		{ "pq", "postgresql" }, { "pgx", "postgresql" }, { "postgres", "postgresql" },
		{ "stdlib", "postgresql" }, { "sqlite3", "sqlite" }, { "sqlite", "sqlite" },
		{ "mysql", "mysql" }, { "mssql", "microsoft.sql_server" },
		{ "sqlserver", "microsoft.sql_server" }, { "godror", "oracle.db" },
		{ "clickhouse", "clickhouse" },
	};
	size_t i;

	for (i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (strlen(systems[i][0]) == n && !memcmp(systems[i][0], value, n))
			facts_add_word(f, attribute, systems[i][1]);
	facts_add_text(f, attribute, value, n);
}

/* --- HTTP --- */

/*
 * The first word of the name is the method; one that is none of the known ones is "_OTHER", and
 * "HTTP" in the name of the span, as any client can make methods up. Returns the word for the name.
 */
static const char *facts_add_method(struct otlp_facts *f, const char *name)
{
	static const char *const methods[] = {
		"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
		"QUERY",
	};
	size_t n = strcspn(name, " "), i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (strlen(methods[i]) == n && !memcmp(methods[i], name, n)) {
			facts_add_text(f, "http.request.method", name, n);
			return methods[i];
		}
	facts_add_word(f, "http.request.method", "_OTHER");
	facts_add_text(f, "http.request.method_original", name, n);
	return "HTTP";
}

static void facts_set_name(struct otlp_facts *f, const char *method, const char *rest)
{
	f->name = facts_keep(f, method, strlen(method));
	f->text.len--;
	facts_keep(f, rest, strlen(rest));
}

static void facts_fail_by_status(struct otlp_facts *f, int64_t from)
{
	int64_t status = facts_number_of(f, "http.response.status_code");
	char text[24];

	if (status < from)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)status);
	facts_fail(f, text);
}

/*
 * The name of the span is that of the request, "METHOD ROUTE"; where no route is known the method
 * alone. It may be the name of a handler's function, which is no route.
 */
static void facts_served(struct otlp_facts *f, const char *name)
{
	const char *route = strchr(name, ' '), *end = facts_text_of(f, "gotap.end");
	bool panic = end && !strcmp(end, "panic");

	if (!route || !strcmp(route + 1, HTTP_NO_ROUTE))
		route = "";
	facts_set_name(f, facts_add_method(f, name), route);
	if (*route && !facts_find(f, "code.function.name"))
		facts_add_word(f, "http.route", route + 1);
	if (panic)
		facts_fail(f, "panic");
	facts_fail_by_status(f, 500);
}

/* The name of a call is "METHOD HOST:PORT"; that of the span has the method alone. */
static void facts_called(struct otlp_facts *f, const char *name)
{
	const char *host = strchr(name, ' ');

	facts_set_name(f, facts_add_method(f, name), "");
	if (host)
		facts_put_address(f, "server.address", host + 1, strlen(host + 1));
	facts_fail_by_status(f, 400);
}

/* --- databases --- */

enum { FACTS_WORD = 64 };

/* Copies a word of the statement without its quotes; "" if it is none, or long. */
static const char *facts_sql_word(const char *text, char word[FACTS_WORD])
{
	size_t n;

	text += strspn(text, " \t\r\n(\"`");
	n = strcspn(text, " \t\r\n(),;\"`");
	*word = 0;
	if (n < FACTS_WORD) {
		memcpy(word, text, n);
		word[n] = 0;
	}
	return text + n;
}

/* The table of a statement: what follows FROM, INTO, UPDATE or TABLE for the first time. */
static void facts_sql_table(const char *text, char table[FACTS_WORD])
{
	static const char *const before[] = { "from", "into", "update", "table" };
	char word[FACTS_WORD];
	size_t i;

	*table = 0;
	while (*text) {
		const char *next = facts_sql_word(text, word);

		for (i = 0; i < sizeof(before) / sizeof(*before); i++)
			if (!strcasecmp(word, before[i])) {
				facts_sql_word(next, table);
				return;
			}
		text = next + (*next != 0);
	}
}

/*
 * The operation is the first word of the statement, in capitals. The span has its name and that of
 * the table; without a statement the name of the region.
 */
static void facts_queried(struct otlp_facts *f, const char *name)
{
	const char *op = facts_text_of(f, "gotap.sql.op");
	const char *query = facts_text_of(f, "db.query.text");
	char word[FACTS_WORD], table[FACTS_WORD] = "";
	size_t i;

	if (op && !strcmp(op, "conn")) {
		f->kind = OTLP_INTERNAL;
		return;
	}
	facts_sql_word(query ? query : name, word);
	for (i = 0; word[i]; i++)
		word[i] = (char)toupper((unsigned char)word[i]);
	if (query)
		facts_sql_table(query, table);
	facts_add_word(f, "db.operation.name", word);
	facts_add_word(f, "db.collection.name", table);
	if (!query || !*word)
		return;
	f->name = facts_keep(f, word, strlen(word));
	if (!*table)
		return;
	f->text.len--;
	buf_add_byte(&f->text, ' ');
	facts_keep(f, table, strlen(table));
}

/* --- gRPC --- */

/* Fails by the code, for which the name of the status is the class if the event has it. */
static void facts_fail_by_code(struct otlp_facts *f)
{
	const char *status = facts_text_of(f, "gotap.grpc.status");
	int64_t code = facts_number_of(f, "rpc.grpc.status_code");
	char class[FACTS_WORD];

	if (code < 0 && f->kind == OTLP_CLIENT && f->message) {
		facts_fail(f, "_OTHER");
		return;
	}
	/* for a client each status but OK is an error */
	if (code <= 0 || (f->kind == OTLP_SERVER && !grpc_code_is_fault((uint64_t)code)))
		return;
	if (status)
		snprintf(class, sizeof(class), "%s", status);
	else
		snprintf(class, sizeof(class), "%lld", (long long)code);
	facts_fail(f, class);
}

/* "/package.Service/Method", also behind other words of the name. */
static void facts_rpc(struct otlp_facts *f, const char *name)
{
	const char *service = strchr(name, '/'), *method;

	facts_add_word(f, "rpc.system", "grpc");
	method = service ? strchr(service + 1, '/') : NULL;
	if (method) {
		facts_add_text(f, "rpc.service", service + 1, (size_t)(method - service) - 1);
		facts_add_word(f, "rpc.method", method + 1);
		f->name = facts_keep(f, service + 1, strlen(service + 1));
	}
	facts_fail_by_code(f);
}

/* --- functions --- */

static void facts_function(struct otlp_facts *f, const char *name)
{
	facts_add_word(f, "code.function.name", name);
}

/* --- the tables --- */

static const struct otlp_category facts_categories[] = {
#define CATEGORY(id, name, kind, rest, of_region) { name, kind, rest, of_region },
#include "otlp/semantics.def"
};

enum facts_category_id {
#define CATEGORY(id, ...) FACTS_##id,
#include "otlp/semantics.def"
};

static const struct facts_key facts_keys[] = {
#define KEY(id, key, attribute, form)							\
	{ &facts_categories[FACTS_##id], key, attribute, facts_put_##form },
#include "otlp/semantics.def"
};

const struct otlp_category *facts_category(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(facts_categories) / sizeof(*facts_categories); i++)
		if (!strcmp(facts_categories[i].name, name))
			return &facts_categories[i];
	return NULL;
}

const char *facts_event(const struct otlp_category *c, const char *message)
{
	static const struct {
		const struct otlp_category *category;
		const char *begin, *name;
	} events[] = {
#define EVENT(id, begin, name) { &facts_categories[FACTS_##id], begin, name },
#include "otlp/semantics.def"
	};
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (c == events[i].category &&
		    !strncmp(message, events[i].begin, strlen(events[i].begin)))
			return events[i].name;
	return NULL;
}

bool facts_is_call(const struct otlp_category *c)
{
	return c && c->kind == OTLP_CLIENT;
}

bool facts_is_served(const struct otlp_category *c)
{
	return c && !strcmp(c->name, HTTP_CATEGORY);
}

bool facts_is_of_region(const struct otlp_category *c)
{
	return c->of_region;
}

/* --- a message --- */

static const struct facts_key *facts_row(const struct otlp_category *c, const struct http_pair *p)
{
	size_t i;

	for (i = 0; i < sizeof(facts_keys) / sizeof(*facts_keys); i++)
		if (facts_keys[i].category == c && http_log_is(p, facts_keys[i].key))
			return &facts_keys[i];
	return NULL;
}

/* A value without its quotes; a literal that was cut as far as it goes. */
static void facts_take_value(struct buf *value, const struct http_pair *p)
{
	char *cut;

	value->len = 0;
	if (*p->value != '"') {
		buf_add(value, p->value, p->value_len);
	} else if (!unquote_append(value, (const uint8_t *)p->value, p->value_len)) {
		cut = xcalloc(1, p->value_len + 1);
		http_log_copy(p, cut, p->value_len + 1);
		value->len = 0;
		buf_add(value, cut, strlen(cut));
		free(cut);
	}
}

/* A key that no row has: a number, if it looks like one. */
static void facts_put_other(struct otlp_facts *f, const struct http_pair *p, const char *value,
			    size_t n)
{
	char key[64];

	snprintf(key, sizeof(key), "gotap.%.*s", (int)(p->key_len < 48 ? p->key_len : 48), p->key);
	if (n && n < 19 && strspn(value, "0123456789") == n)
		facts_put_number(f, key, value, n);
	else
		facts_add_text(f, key, value, n);
}

static void facts_read(struct otlp_facts *f, const struct otlp_category *c, const char *message)
{
	const struct facts_key *row;
	struct buf value = {0};
	struct http_pair p;

	while ((message = http_log_next(message, &p))) {
		if (!p.value_len)
			continue;
		facts_take_value(&value, &p);
		buf_add_byte(&value, 0);
		value.len--;
		row = facts_row(c, &p);
		if (row)
			row->put(f, row->attribute, (const char *)value.data, value.len);
		else
			facts_put_other(f, &p, (const char *)value.data, value.len);
	}
	buf_free(&value);
}

void facts_add_event(struct otlp_facts *f, const struct otlp_category *c, const char *message)
{
	struct vec attrs = f->attrs;
	bool error = f->error;
	size_t i;

	f->attrs = (struct vec){0};
	facts_read(f, c, message);
	for (i = 0; i < f->attrs.len; i++)
		*(struct otlp_attr *)vec_push(&f->of_events, sizeof(struct otlp_attr)) =
			*vec_at(&f->attrs, struct otlp_attr, i);
	vec_free(&f->attrs);
	f->attrs = attrs;
	f->error = error;
}

void facts_clear(struct otlp_facts *f)
{
	f->kind = OTLP_INTERNAL;
	f->error = false;
	f->attrs.len = f->of_events.len = 0;
	f->text.len = 0;
	buf_add_byte(&f->text, 0);	/* the text at offset 0 is empty */
	f->name = f->message = 0;
}

void facts_make(struct otlp_facts *f, const struct otlp_category *c, const char *name,
		const char *message)
{
	facts_clear(f);
	f->name = facts_keep(f, name, strlen(name));
	if (!c)
		return;
	f->kind = c->kind;
	facts_read(f, c, message);
	c->rest(f, name);
}

void facts_free(struct otlp_facts *f)
{
	vec_free(&f->attrs);
	vec_free(&f->of_events);
	buf_free(&f->text);
}
