/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight_story: a flight recording with generations, facts and a folder of snapshots, for unit tests. Generation N is
 * not in the format of traces: all of its bytes are N.
 */
#ifndef GOTAP_TESTS_FLIGHT_STORY_H
#define GOTAP_TESTS_FLIGHT_STORY_H

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "flight/flight.h"

static const uint64_t S = 1000000000;

static char folder[64], pattern[96];
static struct capture_info info = { .exe = "/srv/shop", .go_version = "go1.27", .build_id = "abc", .pid = 12 };
static struct flight_opts opts;
static struct flight *flight;
static uint64_t t0;		/* generation N begins N seconds after it */
static char said[4096];
static struct {
	uint64_t id;
	bool written;
	size_t bytes;
	char path[128];
} dones[64];
static int n_dones;

static inline void on_say(void *ctx, const char *text)
{
	strcat(strcat(said, text), "\n");
}

static inline void on_done(void *ctx, const struct flight_done *d)
{
	dones[n_dones].id = d->id;
	dones[n_dones].written = d->path != NULL;
	dones[n_dones].bytes = d->bytes;
	snprintf(dones[n_dones].path, sizeof(dones[0].path), "%s", d->path ? d->path : d->error);
	__atomic_add_fetch(&n_dones, 1, __ATOMIC_RELEASE);
}

static inline void wait_for_dones(int n)
{
	while (__atomic_load_n(&n_dones, __ATOMIC_ACQUIRE) < n)
		usleep(1000);
}

static inline void begin_in(const char *in)
{
	snprintf(folder, sizeof(folder), "%s/gotap-flight.XXXXXX", in);
	CHECK(mkdtemp(folder) != NULL);
	snprintf(pattern, sizeof(pattern), "%s/%%n.trace", folder);
	said[0] = 0;
	n_dones = 0;
	/* In the past: flight_trigger() would give a fact of a later time the time of now. */
	t0 = now_ns() - 30 * S;	/* the machine may run for a minute only */
	opts = (struct flight_opts){ .time = 10 * S, .size = 1 << 20, .before = 10 * S, .cooldown = 5 * S, .pattern = pattern,
				     .info = &info, .say = on_say, .done = on_done };
}

static inline void begin(void)
{
	begin_in("/tmp");
}

static inline void start(void)
{
	struct error err = {0};

	CHECK_EQ(flight_new(&flight, &opts, &err), 0);
	flight_add(flight, &(struct tracefile_generation){ .parts = { { "HEADER", 6 } } }, NULL);
}

/* Adds generation @n, which lasts for second @n and has 100 bytes. */
static inline void add(unsigned int n)
{
	char data[100];

	memset(data, (int)n, sizeof(data));
	flight_add(flight, &(struct tracefile_generation){ .parts = { { data, 40 }, { data + 40, 60 } }, .number = n,
		   .from = t0 + n * S, .to = t0 + n * S + S - 1 }, &(struct history_losses){ .lost = n });
}

static inline uint64_t trigger_at(double second, bool asked)
{
	return flight_trigger(flight, &(struct flight_fact){ .trigger = "test>1s", .time = t0 + (uint64_t)(second * 1e9), .g = 7,
			      .asked = asked, .what = "it is", .stack = "main.f f.go:3\nmain.main f.go:9\n" });
}

/* All events up to second @n are in the trace. */
static inline void turned(unsigned int n)
{
	char note[FLIGHT_NOTE];

	while (flight_note(flight, t0 + n * S, note))
		;
	flight_turned(flight, t0 + n * S);
}

/* Asks for a snapshot and waits until it is written, or has failed. */
static inline void write_one(void)
{
	int n = n_dones;

	trigger_at(1.1, true);
	turned(2);
	wait_for_dones(n + 1);
}

static inline struct flight_counts end(void)
{
	struct flight_counts c;

	flight_finish(flight);
	flight_counts(flight, &c);
	flight_free(flight);
	return c;
}

static inline void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_EQ(system(command), 0);
}

/* Snapshot @n has generations @first to @last. */
static inline void check_file(unsigned int n, unsigned int first, unsigned int last)
{
	unsigned int size = 6 + 100 * (last - first + 1);
	char path[128], data[8192];
	int fd;

	snprintf(path, sizeof(path), "%s/%u.trace", folder, n);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	CHECK_EQ(read(fd, data, sizeof(data)), size);
	CHECK(!memcmp(data, "HEADER", 6));
	CHECK_EQ(data[6], first);
	CHECK_EQ(data[size - 1], last);
	close(fd);
}

static inline json_object *json_of(unsigned int n)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%u.trace.json", folder, n);
	return json_object_from_file(path);
}

/* "a.b" of the JSON of a snapshot, as text. */
static inline const char *field(unsigned int n, const char *path)
{
	static char text[256];
	json_object *all = json_of(n), *at = all;
	char copy[64], *name, *rest = copy;

	strcpy(copy, path);
	while (at && (name = strsep(&rest, ".")))
		at = json_object_object_get(at, name);
	snprintf(text, sizeof(text), "%s", at ? json_object_to_json_string_ext(at, JSON_C_TO_STRING_PLAIN) : "none");
	json_object_put(all);
	return text;
}

static inline unsigned int files(void)
{
	DIR *d = opendir(folder);
	unsigned int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

#endif
