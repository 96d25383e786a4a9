// SPDX-License-Identifier: Apache-2.0
/* tracks: see tracks.h. */
#include "perfetto/tracks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/protobuf.h"

static const char *const group_names[TRACK_GROUPS] = {
	[GROUP_PS] = "Ps",       [GROUP_GOROUTINES] = "Goroutines", [GROUP_GC] = "GC",
	[GROUP_TASKS] = "Tasks", [GROUP_RECORDING] = "Recording",
};

/* The fields that differ between descriptors of tracks. */
struct descriptor {
	uint64_t uuid, parent;
	const char *name;
	bool ordered;		/* its children have ranks */
	bool thread;
	int64_t time;		/* time of the first event on the track of a thread */
	bool ranked, apart;	/* apart: not merged with siblings of the same name */
	uint64_t rank;
};

/*
 * A packet with the fields that most descriptors have; the caller may append further fields before
 * close_track().
 */
struct open_track {
	size_t packet, track;
};

static struct open_track open_track(struct tracks *t, const struct descriptor *d)
{
	struct buf *b = packets_buf(t->packets);
	struct open_track at = { .packet = d->thread ? packets_open_beside(t->packets) :
						       packets_open(t->packets) };

	if (d->thread)
		packets_time(t->packets, d->time);
	at.track = protobuf_open(b, PACKET_TRACK_DESCRIPTOR);
	protobuf_uint(b, TRACK_UUID, d->uuid);
	if (d->parent)
		protobuf_uint(b, TRACK_PARENT, d->parent);
	if (d->name)
		packets_text(b, TRACK_NAME, d->name);
	if (d->ordered)
		protobuf_uint(b, TRACK_CHILD_ORDERING, CHILDREN_EXPLICIT);
	if (d->ranked)
		protobuf_uint(b, TRACK_RANK, d->rank > INT32_MAX ? INT32_MAX : d->rank);
	if (d->apart)
		protobuf_uint(b, TRACK_MERGE, MERGE_NONE);
	return at;
}

static void close_track(struct tracks *t, struct open_track at)
{
	protobuf_close(packets_buf(t->packets), at.track);
	packets_close(t->packets, at.packet);
}

static uint64_t put_track(struct tracks *t, const struct descriptor *d)
{
	close_track(t, open_track(t, d));
	return d->uuid;
}

/* --- process, groups --- */

static void tracks_put_process(struct tracks *t)
{
	struct buf *b = packets_buf(t->packets);
	struct open_track at;
	size_t process;

	t->process = ++t->last;
	at = open_track(t, &(struct descriptor){ .uuid = t->process, .ordered = true });
	process = protobuf_open(b, TRACK_PROCESS);
	protobuf_uint(b, PROCESS_PID, t->about->pid);
	packets_text(b, PROCESS_NAME, t->about->name);
	protobuf_close(b, process);
	close_track(t, at);
}

void tracks_begin(struct tracks *t, struct packets *packets, const struct perfetto_process *about)
{
	*t = (struct tracks){ .packets = packets, .about = about,
			      .last = (uint64_t)about->number << TRACKS_BITS };
	tracks_put_process(t);
}

uint64_t tracks_group(struct tracks *t, enum track_group group)
{
	if (!t->groups[group])
		t->groups[group] = put_track(t, &(struct descriptor){
			.uuid = ++t->last, .parent = t->process, .name = group_names[group],
			.ranked = true, .rank = group,
			.ordered = group == GROUP_PS || group == GROUP_GOROUTINES });
	return t->groups[group];
}

uint64_t tracks_add(struct tracks *t, uint64_t parent, const char *name)
{
	return put_track(t,
			 &(struct descriptor){ .uuid = ++t->last, .parent = parent, .name = name });
}

uint64_t tracks_lane(struct tracks *t, struct lane *lane, uint64_t parent, const char *name,
		     int64_t from, int64_t to)
{
	if (!lane->track || from < lane->until)
		lane->track = tracks_add(t, parent, name);
	lane->until = to;
	return lane->track;
}

/* --- Ps, threads, goroutines --- */

uint64_t tracks_add_p(struct tracks *t, uint64_t id)
{
	uint64_t parent = tracks_group(t, GROUP_PS);
	char name[32];

	snprintf(name, sizeof(name), "P %" PRIu64, id);
	return put_track(t, &(struct descriptor){ .uuid = ++t->last, .parent = parent, .name = name,
						  .ranked = true, .rank = id, .apart = true });
}

/*
 * Adds the track of a thread. If @id cannot be a tid of Linux, as in traces of other systems, the
 * track is an ordinary track under the process.
 */
uint64_t tracks_add_m(struct tracks *t, uint64_t id, int64_t time)
{
	struct buf *b = packets_buf(t->packets);
	bool is_thread = id && id <= INT32_MAX;
	struct descriptor d = { .uuid = ++t->last };
	struct open_track at;
	size_t thread;
	char name[32];

	snprintf(name, sizeof(name), "M %" PRIu64, id);
	if (!is_thread) {
		d.name = name;
		d.parent = t->process;
		return put_track(t, &d);
	}
	d.thread = true;
	d.time = time;
	at = open_track(t, &d);
	thread = protobuf_open(b, TRACK_THREAD);
	protobuf_uint(b, THREAD_PID, t->about->pid);
	protobuf_uint(b, THREAD_TID, id);
	packets_text(b, THREAD_NAME, name);
	protobuf_close(b, thread);
	close_track(t, at);
	return d.uuid;
}

void tracks_name_goroutine(struct tracks *t, uint64_t track, uint64_t id, const char *name)
{
	uint64_t parent = tracks_group(t, GROUP_GOROUTINES);
	char full[512];

	snprintf(full, sizeof(full), "%.480s %" PRIu64, *name ? name : "goroutine", id);
	put_track(t, &(struct descriptor){ .uuid = track,
					   .parent = parent,
					   .name = full,
					   .ranked = true,
					   .rank = id,
					   .apart = true });
}

uint64_t tracks_add_goroutine(struct tracks *t, uint64_t id, const char *name)
{
	uint64_t track = ++t->last;

	tracks_name_goroutine(t, track, id, name);
	return track;
}

/* --- counters --- */

uint64_t tracks_add_counter(struct tracks *t, const char *name, unsigned int unit, const char *text)
{
	struct buf *b = packets_buf(t->packets);
	struct descriptor d = { .uuid = ++t->last, .parent = t->process, .name = name };
	struct open_track at = open_track(t, &d);
	size_t counter;

	if (text)
		protobuf_text(b, TRACK_DESCRIPTION, text);
	counter = protobuf_open(b, TRACK_COUNTER);
	protobuf_uint(b, COUNTER_UNIT, unit);
	protobuf_close(b, counter);
	close_track(t, at);
	return d.uuid;
}
