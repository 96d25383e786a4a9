// SPDX-License-Identifier: Apache-2.0
/* rewrite: see gotap/rewrite.h. Checks the caller's options, then calls rewrite/convert.h. */
#include "gotap/rewrite.h"

#include <errno.h>

#include "api/api.h"
#include "rewrite/convert.h"

const char *gotap_left_text(unsigned int kind)
{
	return kind < V1_LEFT_KINDS ? v1_left_text(kind) : NULL;
}

int gotap_left_is_added(unsigned int kind)
{
	return kind < V1_LEFT_KINDS && v1_left_is_added(kind);
}

static int take_span(struct convert_options *to, const struct gotap_rewrite_options *o,
		     struct error *err)
{
	int64_t end = o->to ? o->to : INT64_MAX;

	if (o->from < 0 || end <= o->from)
		return error_set(err, -EINVAL, "there is no span from %lld to %lld ns",
				 (long long)o->from, (long long)end);
	to->rewrite.from = o->from;
	to->rewrite.to = end;
	return 0;
}

static void take_goroutines(struct map64 *to, const struct gotap_rewrite_options *o)
{
	size_t i;

	for (i = 0; o->goroutines && i < o->ngoroutines; i++)
		map64_put(to, o->goroutines[i], NULL);
}

static struct gotap_rewrite_result v2_result(const struct rewrite_result *r)
{
	struct gotap_rewrite_result to = {
		.events = r->events, .joined = r->joined, .dropped = r->dropped,
		.faults = r->faults, .resumed = r->resumed, .lost_bytes = r->lost,
		.lost_names = r->unnamed, .clocks = r->clocks, .lost_data = r->data_dropped,
		.ran = r->ran,
	};

	_Static_assert(sizeof(to.fault) == sizeof(r->fault), "one text");
	memcpy(to.fault, r->fault, sizeof(to.fault));
	return to;
}

/* Adds the counts of the conversion of a trace before Go 1.22 to v2. */
static void add_v1(struct gotap_rewrite_result *to, const struct convert_result *r)
{
	if (!to->events)
		to->events = r->counts.written ? r->counts.written : r->v1_events;
	to->dropped += r->counts.dropped;
	to->futile = r->counts.futile;
	to->joined += r->counts.joined;
	to->unnamed_pcs = r->unnamed_pcs;
	if (!r->cut.is_cut)
		return;
	to->faults += r->cut.places ? r->cut.places : 1;
	to->resumed |= r->cut.resumed;
	to->lost_bytes += r->cut.lost_bytes;
	to->lost_events = r->cut.lost_events;
	to->no_frequency = r->cut.no_frequency;
	memcpy(to->fault, r->cut.why.text, sizeof(r->cut.why.text));
}

/*
 * Adds the counts of events that an old format cannot have, and of events that it needs in
 * addition.
 */
static void add_left(struct gotap_rewrite_result *to, const uint64_t *left)
{
	unsigned int i;

	_Static_assert(GOTAP_LEFT_KINDS == (int)V1_LEFT_KINDS, "a counter for each kind");
	memcpy(to->by_kind, left, sizeof(to->by_kind));
	for (i = 0; i < GOTAP_LEFT_KINDS; i++)
		*(gotap_left_is_added(i) ? &to->joined : &to->left) += left[i];
}

static void give_result(const struct convert_result *r, struct gotap_rewrite_result *to,
			size_t size)
{
	struct gotap_rewrite_result result = v2_result(&r->rewrite);

	if (r->is_v1)
		add_v1(&result, r);
	add_left(&result, r->left);
	if (to)
		api_give(to, size, &result, sizeof(result));
}

int gotap_rewrite(const struct gotap_input *in, int fd, const struct gotap_rewrite_options *options,
		  struct gotap_rewrite_result *result, size_t size, struct gotap_error *gerr)
{
	struct gotap_rewrite_options o = {0};
	struct convert_options wanted = {0};
	struct convert_result done;
	struct map64 goroutines = {0};
	struct raw_source source;
	struct error err;
	int ret;

	if (options)
		api_take(&o, sizeof(o), options, options->size);
	ret = take_span(&wanted, &o, &err);
	/*
	 * A tracefile without a file only counts bytes (trace/tracefile.h): the caller must give a
	 * file.
	 */
	if (!ret && fd < 0)
		ret = error_set(&err, -EBADF, "%d is no file descriptor", fd);
	if (!ret)
		ret = api_source(&source, in, &err);
	if (ret)
		return api_error(gerr, &err);
	take_goroutines(&goroutines, &o);
	wanted.rewrite.format = o.version;
	wanted.rewrite.strip_stacks = o.strip_stacks;
	wanted.rewrite.goroutines = o.goroutines ? &goroutines : NULL;
	wanted.binary = o.binary;
	ret = convert_trace(&source, fd, &wanted, &done, &err);
	map64_free(&goroutines);
	if (ret)
		return api_error(gerr, &err);
	give_result(&done, result, size);
	return 0;
}
