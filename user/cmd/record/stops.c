// SPDX-License-Identifier: Apache-2.0
/* stops: see stops.h. */
#include "cmd/record/stops.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "follow/catch.h"

static const uint64_t EVERY = 250000000;

static const struct {
	const char *name, *text;
} reasons[] = {
	[STOPPED_BY_SIGNAL] = { "signal", "stopped by a signal (SIGSTOP or one like it)" },
	[STOPPED_BY_TRACER] = { "tracer", "stopped by its tracer (a debugger)" },
	[STOPPED_BY_CGROUP] = { "cgroup", "frozen by its cgroup" },
};

static struct stop *latest(struct stops *s)
{
	return s->count && s->count <= STOPS_KEPT ? &s->list[s->count - 1] : NULL;
}

static void stops_change(struct stops *s, enum stopped_by by, uint64_t now)
{
	struct stop *last = latest(s);

	if (last && !last->to)
		last->to = now;
	s->now = by;
	if (by == STOPPED_NOT)
		return;
	s->count++;
	last = latest(s);
	if (last)
		*last = (struct stop){ by, s->looks == 1, now, 0 };
}

/*
 * Does another process trace it and keep it stopped now? A gotap that follows processes
 * (user/follow) does not count: it holds a program only until a recorder's probes are in place.
 * Nor does a tracer that has let it go since the look before.
 */
static bool is_stopped_by_debugger(const struct stops *s)
{
	struct procfs_status st, tracer;

	return !procfs_status(s->fs, s->pid, "status", &st) && st.state == 't' && st.tracer &&
	       !procfs_status(s->fs, st.tracer, "status", &tracer) &&
	       strcmp(tracer.name, CATCH_NAME);
}

static enum stopped_by stopped(const struct stops *s)
{
	enum stopped_by by = stopped_by(&s->mounts, s->fs, s->pid);

	return by == STOPPED_BY_TRACER && !is_stopped_by_debugger(s) ? STOPPED_NOT : by;
}

/*
 * Looks whether the program is stopped. A program that has ended keeps the state of the look
 * before.
 */
void stops_look(struct stops *s)
{
	enum stopped_by by = stopped(s);

	s->looked = now_ns();
	s->looks++;
	if (by != s->now && by != STOPPED_GONE)
		stops_change(s, by, s->looked);
}

void stops_tick(struct stops *s)
{
	if (now_ns() - s->looked >= EVERY)
		stops_look(s);
}

void stops_begin(struct stops *s, const struct procfs *fs, pid_t pid, bool held)
{
	*s = (struct stops){ .fs = fs, .pid = pid };
	freezer_find(&s->mounts, "/proc/self/mountinfo");
	if (!held)
		stops_look(s);
}

void stops_free(struct stops *s)
{
	freezer_free(&s->mounts);
}

/* --- in the report --- */

static size_t kept(const struct stops *s)
{
	return s->count < STOPS_KEPT ? (size_t)s->count : STOPS_KEPT;
}

static double since(uint64_t begin, uint64_t time)
{
	return time > begin ? (double)(time - begin) / 1e9 : 0;
}

void stops_print(const struct stops *s, uint64_t begin, FILE *f)
{
	size_t i;

	for (i = 0; i < kept(s); i++) {
		const struct stop *stop = &s->list[i];

		fprintf(f, "the process was %s ", reasons[stop->by].text);
		if (stop->before)
			fputs("when the recording began, and ", f);
		else
			fprintf(f, "from %.1f s ", since(begin, stop->from));
		if (stop->to)
			fprintf(f, "until %.1f s of it\n", since(begin, stop->to));
		else
			fputs("until the recording ended\n", f);
	}
	if (s->count > STOPS_KEPT)
		fprintf(f, "it was stopped %" PRIu64 " more times\n", s->count - STOPS_KEPT);
}

void stops_json(const struct stops *s, uint64_t begin, struct json_out *j)
{
	size_t i;

	json_open_array(j, "stops");
	for (i = 0; i < kept(s); i++) {
		const struct stop *stop = &s->list[i];

		json_open_object(j, NULL);
		json_put_text(j, "by", reasons[stop->by].name);
		json_put_bool(j, "before", stop->before);
		json_put_real(j, "from", since(begin, stop->from), 3);
		if (stop->to)
			json_put_real(j, "to", since(begin, stop->to), 3);
		else
			json_put_text(j, "to", NULL);
		json_close_object(j);
	}
	json_close_array(j);
	json_put_count(j, "stops_total", s->count);
}
