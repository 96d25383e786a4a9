// SPDX-License-Identifier: Apache-2.0
/* survey: see survey.h. */
#include "joins/survey.h"

#include "joins/internal.h"

void joins_survey_free(struct joins_survey *v)
{
	map64_free(&v->connections);
}

static void joins_survey_take(struct joins_survey *v, const struct trace_socket *socket)
{
	struct trace_socket other = joins_other_end(socket);
	uint64_t a = joins_hash(socket), b = joins_hash(&other), *bits, others;
	uint32_t i;

	bits = map64_get(&v->connections, a ^ b);
	if (!bits && v->connections.len >= JOINS_ENDS) {
		v->is_full = true;
		return;
	}
	bits = map64_put(&v->connections, a ^ b, NULL);
	*bits |= 1ULL << v->now;
	others = *bits & ~(1ULL << v->now);
	v->joined[v->now] |= others;
	for (i = 0; others; i++, others >>= 1)
		if (others & 1)
			v->joined[i] |= 1ULL << v->now;
}

static void joins_survey_on_span(void *ctx, const struct span *span)
{
	struct trace_socket socket;

	if (joins_socket_of(span, &socket) && joins_is_connected(&socket))
		joins_survey_take(ctx, &socket);
}

int joins_survey_read(struct joins_survey *v, uint32_t number, struct trace_reader *r,
		      struct error *err)
{
	struct spans *s = spans_new();
	int ret;

	v->now = number;
	spans_visit(s, &(struct spans_visitor){
			       .ctx = v, .waits = true, .span_begin = joins_survey_on_span });
	ret = spans_read(s, r, err);
	spans_free(s);
	return ret;
}

bool joins_survey_has(const struct joins_survey *v, uint32_t a, uint32_t b)
{
	return v->is_full || (v->joined[a] >> b & 1);
}
