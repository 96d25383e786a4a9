/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts: what a span says beside its ids and times, by the semantic conventions of OpenTelemetry
 * (opentelemetry.io/docs/specs/semconv, OTLP_SCHEMA), from the log event at the end of an operation
 * (read/http.h). semantics.def has the categories of these log events and their keys, a row each.
 */
#ifndef GOTAP_OTLP_FACTS_H
#define GOTAP_OTLP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define OTLP_SCHEMA "https://opentelemetry.io/schemas/1.34.0"

/* SpanKind of opentelemetry/proto/trace/v1/trace.proto. */
enum otlp_kind { OTLP_INTERNAL = 1, OTLP_SERVER = 2, OTLP_CLIENT = 3 };

struct otlp_attr {
	size_t key, value;	/* offsets in otlp_facts.text, of texts that end with a NUL */
	int64_t number;		/* the value, if @is_number */
	bool is_number;
};

/* A zeroed struct is empty, and can be filled again and again; facts_free() frees it. */
struct otlp_facts {
	enum otlp_kind kind;
	size_t name;		/* offset in @text */
	bool error;
	size_t message;		/* of the status: offset in @text; 0: none */
	struct vec attrs;	/* struct otlp_attr */
	struct vec of_events;	/* likewise, of the events of the span: a key may be there again */
	struct buf text;
};

struct otlp_category;

/* Returns the category of a log event; NULL: it is of no operation. */
const struct otlp_category *facts_category(const char *name);
/*
 * The name of the event, if the message says something that happened inside of the span around it;
 * NULL: it is about the end of an operation.
 */
const char *facts_event(const struct otlp_category *c, const char *message);
/* Is it that of something that the program asks another one for? */
bool facts_is_call(const struct otlp_category *c);
/* Is it that of the requests that net/http serves? */
bool facts_is_served(const struct otlp_category *c);
/* Is a log event of that category about a region, and not about its task? */
bool facts_is_of_region(const struct otlp_category *c);

/*
 * Fills @f anew for an operation with the name of its task or region, and the message of its log
 * event. @c NULL: there is no such event. The message may be damaged, or forged.
 */
void facts_make(struct otlp_facts *f, const struct otlp_category *c, const char *name,
		const char *message);
/* Adds the attributes of an event of the span, from its message, to @f->of_events. */
void facts_add_event(struct otlp_facts *f, const struct otlp_category *c, const char *message);
/* Empties it. */
void facts_clear(struct otlp_facts *f);
void facts_free(struct otlp_facts *f);

/* Adds an attribute; one with an empty value is left out. @value of @n bytes. */
void facts_add_text(struct otlp_facts *f, const char *key, const char *value, size_t n);
void facts_add_number(struct otlp_facts *f, const char *key, int64_t value);
/* The same for an attribute of an event. */
void facts_event_text(struct otlp_facts *f, const char *key, const char *value);
void facts_event_number(struct otlp_facts *f, const char *key, int64_t value);

#endif
