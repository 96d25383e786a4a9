// SPDX-License-Identifier: Apache-2.0
/*
 * scrape: /metrics: the programs that the peer may ask about, by the lister and by /proc, with
 * the sums of those that are watched (watches.h); and gotap itself. A scrape starts no recording.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "metrics/families.h"
#include "serve/internal.h"
#include "serve/lister.h"
#include "serve/listing.h"
#include "serve/watches.h"

/*
 * Programs that have samples, those that used most CPU first: a machine of thousands would make a
 * scrape that Prometheus refuses.
 */
enum { SCRAPE_PROGRAMS = 256 };

struct scrape {
	struct exchange *exchange;
	struct cgroup_mounts mounts;
	struct metrics_program *programs;
	size_t n;
	uint64_t beyond;		/* programs without room */
	int64_t left_out;		/* that `gotap ps` could not look at */
};

/* --- one program --- */

static void scrape_take_labels(struct metrics_program *p, struct json_object *process)
{
	static const struct {
		const char *label, *name;
	} of_container[] = {
		{ "container", "name" }, { "pod", "pod" }, { "namespace", "pod_namespace" },
	};
	static const char *const facts[] = { "go", "module", "version" };
	_cleanup_free_ char *pid = xasprintf("%d", listing_pid_of(process));
	size_t i;

	metrics_label(&p->labels, "pid", pid);
	metrics_label(&p->labels, "process", listing_program_of(process));
	for (i = 0; i < sizeof(of_container) / sizeof(of_container[0]); i++)
		metrics_label(&p->labels, of_container[i].label,
			      listing_container_of(process, of_container[i].name));
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		metrics_label(&p->facts, facts[i], listing_text_of(process, facts[i]));
}

static void scrape_take_numbers(struct metrics_program *p, struct json_object *process)
{
	struct json_object *states = NULL, *value;
	int i;

	if (json_object_object_get_ex(process, "cpu_seconds", &value))
		p->cpu = json_object_get_double(value);
	json_object_object_get_ex(process, "goroutines_by_state", &states);
	for (i = 0; i < WATCHED_STATES; i++)
		p->goroutines[i] = states && json_object_object_get_ex(
							states, watched_state_names[i], &value) ?
					   json_object_get_double(value) :
					   -1;
}

static void scrape_take_quota(struct scrape *s, struct metrics_program *p, pid_t pid)
{
	enum { TEXT_MAX = 65536 };
	struct buf text = {0};

	if (!procfs_read(&s->exchange->server->fs, pid, "cgroup", TEXT_MAX, &text))
		p->n_levels = cgroup_cpu_read(&s->mounts, (const char *)text.data, p->levels);
	buf_free(&text);
}

static void scrape_take(struct scrape *s, struct json_object *process)
{
	struct metrics_program *p = &s->programs[s->n];
	struct server *server = s->exchange->server;
	pid_t pid = listing_pid_of(process);
	struct procfs_usage usage;

	if (s->n == SCRAPE_PROGRAMS) {
		s->beyond++;
		return;
	}
	if (procfs_usage(&server->fs, pid, &usage))
		return;			/* it has ended */
	s->n++;
	scrape_take_labels(p, process);
	scrape_take_numbers(p, process);
	scrape_take_quota(s, p, pid);
	p->is_watched = watches_of(server->watch, pid, usage.start, &p->watched);
}

static void scrape_take_all(struct scrape *s, const struct listing *l)
{
	size_t i, n = json_object_array_length(l->processes);

	s->programs = xcalloc(n < SCRAPE_PROGRAMS ? n + 1 : SCRAPE_PROGRAMS + 1,
			      sizeof(*s->programs));
	s->left_out = listing_left_out(l);
	cgroup_mounts_find(&s->mounts, "/proc/self/mountinfo");
	for (i = 0; i < n; i++)
		scrape_take(s, json_object_array_get_idx(l->processes, i));
	cgroup_mounts_free(&s->mounts);
}

/* --- gotap --- */

static double scrape_cpu(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	double ret = 0;
	struct rusage u;
	int i;

	for (i = 0; i < 2; i++)
		if (!getrusage(whose[i], &u))
			ret += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	return ret;
}

static unsigned int recordings_now(struct server *s)
{
	unsigned int n;

	pthread_mutex_lock(&s->recordings.lock);
	n = s->o->recordings - s->recordings.free;
	pthread_mutex_unlock(&s->recordings.lock);
	return n;
}

static void put_build(struct metrics_text *t)
{
	static const struct metrics_family family = {
		"gotap_build", METRICS_INFO, NULL, "The gotap that answers.",
	};
	struct buf labels = {0};

	metrics_label(&labels, "version", GOTAP_VERSION);
	metrics_begin(t, &family);
	metrics_count(t, &labels, NULL, 1);
	buf_free(&labels);
}

struct own_number {
	struct metrics_family family;
	double value;
};

static void put_gotap(struct metrics_text *t, const struct scrape *s)
{
	struct server *server = s->exchange->server;
	struct watches_counts w;
	size_t i;

	watches_counts(server->watch, &w);
	const struct own_number numbers[] = {
		{ { "gotap_programs", METRICS_GAUGE, NULL, "Go programs with samples here." },
		  (double)s->n },
		{ { "gotap_programs_left_out", METRICS_GAUGE, NULL,
		    "Programs without: too many, or no time to look at them." },
		  (double)s->beyond + (double)s->left_out },
		{ { "gotap_serve_cpu_seconds", METRICS_COUNTER, "seconds",
		    "CPU time of gotap serve and of its children that have ended." },
		  scrape_cpu() },
		{ { "gotap_serve_recordings", METRICS_COUNTER, NULL,
		    "Recordings that requests began." },
		  (double)atomic_load(&server->recorded) },
		{ { "gotap_serve_recordings_running", METRICS_GAUGE, NULL,
		    "Recordings of requests that go on." },
		  recordings_now(server) },
		{ { "gotap_watch_running", METRICS_GAUGE, NULL,
		    "Recordings for the metrics of programs that go on." },
		  w.running },
		{ { "gotap_watch_programs", METRICS_COUNTER, NULL,
		    "Programs that such a recording was begun of." },
		  (double)w.began },
		{ { "gotap_watch_failures", METRICS_COUNTER, NULL,
		    "Such recordings that ended while their program went on." },
		  (double)w.failed },
		{ { "gotap_watch_left_out", METRICS_GAUGE, NULL,
		    "Programs to watch beyond the limit." },
		  (double)w.left_out },
	};

	put_build(t);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		metrics_begin(t, &numbers[i].family);
		metrics_real(t, NULL, NULL, numbers[i].value);
	}
}

/* --- */

static void scrape_free(struct scrape *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		metrics_program_free(&s->programs[i]);
	free(s->programs);
}

void scrape_answer(struct exchange *x)
{
	struct buf out = {0};
	struct metrics_text text = { .out = &out, .open = x->request.open_metrics };
	struct scrape s = { .exchange = x };
	struct refusal why = {0};
	struct listing l;

	if (!lister_list(x->server->lister, &x->peer, &l, &why)) {
		reply_refuse(x, &why);
		return;
	}
	scrape_take_all(&s, &l);
	listing_free(&l);
	metrics_programs(&text, s.programs, s.n);
	put_gotap(&text, &s);
	metrics_end(&text);
	scrape_free(&s);
	reply_buf(x, &out);
}
