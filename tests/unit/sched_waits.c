// SPDX-License-Identifier: Apache-2.0
/*
 * The objects of waits, from records to the events of a reader. Where a record of a select is lost, the event has no
 * object.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "read/v2_reader.h"
#include "read/wait_text.h"

enum { MINOR = 23 };

static uint8_t wait_number(const char *name)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		if (release_wait_name(MINOR, i) && !strcmp(release_wait_name(MINOR, i), name))
			return (uint8_t)i;
	CHECK(!"no such reason");
	return 0;
}

static uint64_t channel(uint64_t address, uint64_t cap)
{
	return address | (cap + 1) << WAIT_ADDRESS_BITS;
}

static void park(uint32_t tid, uint64_t goid, const char *reason, uint64_t object)
{
	put(REC_GO_PARK, wait_number(reason), tid, goid, 0x9000 + goid, 0, object);
}

static void select_record(uint32_t tid, uint64_t goid, uint8_t number, uint64_t first, uint64_t second)
{
	put(REC_GO_SELECT, number, tid, 0, 0x9000 + goid, first, second);
}

/* Appends " G1:channel 0xc0 (7)" for each event after which a goroutine waits; " G1:?": its object is not known. */
static void append_waits(struct buf *text, struct trace_reader *r)
{
	const struct trace_event *ev;
	struct trace_wait wait;
	struct trace_transition tr;

	while (trace_reader_next(r, &ev) > 0) {
		tr = event_transition(ev);
		if (ev->type == TRACE_SYNC)
			buf_printf(text, " /");
		if (tr.of != RESOURCE_GOROUTINE || tr.to != GO_WAITING)
			continue;
		buf_printf(text, " G%d:", (int)tr.id);
		if (trace_reader_wait(r, ev, &wait))
			wait_text(text, &wait);
		else
			buf_printf(text, "?");
	}
}

static void check_waits(const char *want)
{
	struct buf text = {0}, bytes = {0};
	struct trace_reader *r;
	struct error err;
	size_t n;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	CHECK_EQ(repairs(), 0);
	n = (size_t)lseek(fd, 0, SEEK_END);
	buf_reserve(&bytes, n + 1);
	bytes.len = (size_t)pread(fd, bytes.data, n, 0);
	r = trace_reader_open_memory(bytes.data, bytes.len, &err);
	append_waits(&text, r);
	CHECK_EQ(trace_reader_stopped(r, &err), 0);
	buf_add_byte(&text, 0);
	CHECK_STR((char *)text.data, want);
	trace_reader_close(r);
	buf_free(&text);
	buf_free(&bytes);
	end_story();
}

static void begin_story(int version)
{
	begin(MINOR, version);
	snapshot();
}

static void a_channel_has_its_capacity(void)
{
	begin_story(23);
	park(7, 1, "ChanReceive", channel(0xc000, 7));
	check_waits(" / G2:? G1:channel 0xc000 (7) /");
}

/* An object of each kind; a lock is named by its own address, not by that of its semaphore. */
static void locks_are_named_by_their_own_addresses(void)
{
	static const struct {
		const char *reason;
		uint64_t word;
		const char *want;
	} rows[] = {
		{ "SyncMutexLock", 0x5004, " / G2:? G1:mutex 0x5000 /" },
		{ "SyncRWMutexLock", 0x5008, " / G2:? G1:rwmutex 0x5000 /" },
		{ "SyncRWMutexRLock", 0x500c, " / G2:? G1:rwmutex 0x5000 /" },
		{ "Semacquire", 0x5008, " / G2:? G1:semaphore 0x5008 /" },
		{ "SyncCondWait", 0x5010, " / G2:? G1:cond 0x5000 /" },
		{ "IOWait", 5, " / G2:? G1:network descriptor 4 /" },
		{ "Sleep", 0x5008, " / G2:? G1:? /" },
		{ "SyncMutexLock", 0, " / G2:? G1:? /" },
		{ "SyncMutexLock", 3, " / G2:? G1:? /" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_story(26);
		park(7, 1, rows[i].reason, rows[i].word);
		CHECK_EQ(model_counts(model)->waits_known + model_counts(model)->waits_unknown,
			 strcmp(rows[i].reason, "Sleep") != 0);
		CHECK_EQ(model_counts(model)->waits_known, !strstr(rows[i].want, "G1:?"));
		check_waits(rows[i].want);
	}
}

static void a_select_has_its_channels(void)
{
	begin_story(22);
	select_record(7, 1, 1, channel(0xc000, 0), channel(0xd000, 1));
	select_record(7, 1, 2, channel(0xe000, 2), 0);
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:select 0xc000 (0) 0xd000 (1) 0xe000 (2) /");
}

static void a_select_with_many_channels_says_that_there_are_more(void)
{
	int i;

	begin_story(26);
	for (i = 0; i < 4; i++)
		select_record(7, 1, (uint8_t)(i + 1), channel(0xc000 + 32 * (uint64_t)i, 0),
			      channel(0xc010 + 32 * (uint64_t)i, 0));
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:select 0xc000 (0) 0xc010 (0) 0xc020 (0) 0xc030 (0) 0xc040 (0) 0xc050 (0) 0xc060 (0) "
		    "0xc070 (0) ... /");
}

/* The records before a GO_PARK are of another wait, or the first one is missing. */
static void channels_of_another_select_do_not_count(void)
{
	begin_story(26);
	select_record(7, 3, 1, channel(0xc000, 0), 0);		/* of another goroutine */
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:? /");

	begin_story(26);
	select_record(7, 1, 1, channel(0xd000, 0), 0);		/* of an earlier wait: its GO_PARK is lost */
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:? /");

	begin_story(26);
	select_record(7, 1, 2, channel(0xc000, 0), 0);		/* the first record is lost */
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:? /");

	begin_story(26);
	select_record(9, 1, 1, channel(0xc000, 0), 0);		/* of another thread */
	park(7, 1, "Select", channel(0xc000, 0));
	check_waits(" / G2:? G1:? /");
}

static void snap_wait(uint64_t goid, uint8_t number, const char *reason, uint64_t first, uint64_t second)
{
	struct rec_long l = {
		.r = { .time = now, .kind = REC_SNAP_WAIT, .sub = number, .flags = wait_number(reason), .id = goid,
		       .ptr = 0x9000 + goid },
		.stack = first, .arg = second,
	};
	struct error err;

	CHECK_EQ(model_record(model, &l.r, &err), 0);
}

static void snap_waits(uint64_t goid, const char *reason)
{
	struct rec_long g = {
		.r = { .time = now, .kind = REC_SNAP_G, .sub = 4, .flags = wait_number(reason), .id = goid,
		       .ptr = 0x9000 + goid },
	};
	struct error err;

	CHECK_EQ(model_record(model, &g.r, &err), 0);
}

/* Of goroutines that wait already: each further generation says it, until they are woken. */
static void a_snapshot_says_what_goroutines_wait_for(void)
{
	begin(MINOR, 26);
	snap_waits(4, "SyncMutexLock");
	snap_wait(4, 0, "SyncMutexLock", 0x5004, 0);
	snap_waits(5, "Select");
	snap_wait(5, 1, "Select", channel(0xc000, 0), channel(0xd000, 1));
	snap_waits(6, "Sleep");
	snapshot();
	go(REC_GO_READY, 7, 5);
	now += 2 * GEN_NS;
	go(REC_GO_READY, 7, 2);
	check_waits(" / G4:mutex 0x5000 G5:select 0xc000 (0) 0xd000 (1) G6:? G2:? / G4:mutex 0x5000 G6:? G2:? /");
}

/* A record of the goroutine is newer than the snapshot, and a record of the snapshot is of the goroutine before it. */
static void a_snapshot_of_a_goroutine_that_has_moved_does_not_count(void)
{
	begin(MINOR, 26);
	proc(REC_P_START, 7, 0);
	go(REC_GO_START, 7, 1);
	park(7, 1, "ChanReceive", channel(0xc000, 1));
	snap_waits(1, "SyncMutexLock");
	snap_wait(1, 0, "SyncMutexLock", 0x5004, 0);
	snap_waits(2, "SyncMutexLock");
	snap_wait(4, 0, "SyncMutexLock", 0x5004, 0);
	snap_wait(2, 0, "SyncCondWait", 0x5010, 0);
	put(REC_SNAP_P_NAME, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_P, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	check_waits(" / G1:channel 0xc000 (1) G2:? /");
}

/* A goroutine that dies between two records of the snapshot. */
static void a_goroutine_that_has_ended_is_not_named(void)
{
	begin(MINOR, 26);
	snap_waits(4, "SyncMutexLock");
	put(REC_GO_DEAD, 0, 7, 4, 0x9004, 0, 0);
	snap_wait(4, 0, "SyncMutexLock", 0x5004, 0);
	model_free(model);
	v2_sink_free(trace);
	close(fd);
}

/* Two locks at one address (a struct that begins with another one) have strings of their own. */
static void one_address_can_be_two_objects(void)
{
	begin_story(26);
	park(7, 1, "SyncMutexLock", 0x5004);
	go(REC_GO_START, 7, 3);
	park(7, 3, "SyncRWMutexLock", 0x5008);
	check_waits(" / G2:? G1:mutex 0x5000 G3:rwmutex 0x5000 /");
}

static uint8_t kind = REC_SOCKET;

static void put_socket(uint32_t descriptor, uint64_t inode, uint16_t remote)
{
	struct rec_socket r = {
		.r = { .time = now, .kind = kind, .sub = inode ? REC_TCP : 0, .ptr = inode,
		       .id = descriptor | 80ULL << 32 | (uint64_t)remote << 48 },
		.local = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, .remote = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
	};
	struct error err;

	now += 10;
	CHECK_EQ(model_record(model, &r.r, &err), 0);
}

static void looked(uint64_t since)
{
	put(REC_SOCKETS_LOOK, 0, 0, 0, 0, 0, since);
}

static void wakes(uint64_t goid)
{
	go(REC_GO_START, 7, 3);
	go(REC_GO_READY, 7, goid);
	park(7, 3, "ChanReceive", 0);
	put(REC_GO_READY, 0, 9, 3, 0x9003, 0, 0);
	go(REC_GO_START, 7, goid);
}

/* Since before the first look, since that is in the wait; and after the last one, since the wait goes on. */
static void a_wait_that_goes_on_has_its_socket(void)
{
	begin_story(26);
	park(7, 1, "IOWait", 5);
	put_socket(4, 77, 9000);
	looked(now - 10);
	check_waits(" / G2:? G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9000) /");
}

/* Two looks have found the same socket: so it was in between. After the second one it is not known. */
static void a_socket_is_known_between_two_looks(void)
{
	begin_story(26);
	put_socket(4, 77, 9000);
	now += 100;
	park(7, 1, "IOWait", 5);
	wakes(1);
	now += 100;
	looked(now - 5);
	now += 100;
	park(7, 1, "IOWait", 5);
	wakes(1);
	check_waits(" / G2:? G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9000) G3:? G1:network descriptor 4 G3:? /");
}

/* Descriptor 4 becomes another socket: what it was at the time of the wait between the looks is not known. */
static void a_descriptor_that_has_become_another_socket_is_not_mistaken(void)
{
	begin_story(26);
	put_socket(4, 77, 9000);
	looked(now - 5);
	now += 100;
	park(7, 1, "IOWait", 5);
	wakes(1);
	now += 100;
	put_socket(4, 78, 9001);
	now += 100;
	park(7, 1, "IOWait", 5);
	now += 100;
	looked(now - 5);
	check_waits(" / G2:? G1:network descriptor 4 G3:? G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9001) /");
}

static void a_closed_descriptor_is_no_socket(void)
{
	begin_story(26);
	put_socket(4, 77, 9000);
	put_socket(4, 0, 0);
	looked(now - 5);
	now += 50;
	park(7, 1, "IOWait", 5);
	check_waits(" / G2:? G1:network descriptor 4 /");
}

/* A connection between two looks, and the next one of the same descriptor: each wait has its own. */
static void short_connections_are_known_if_the_poller_has_records(void)
{
	begin_story(26);
	put(REC_SOCKETS_LOOK, 0, 0, 1, 0, 0, 0);
	kind = REC_SOCKET_OPENED;
	put_socket(4, 77, 9000);
	park(7, 1, "IOWait", 5);
	wakes(1);
	put_socket(4, 78, 9001);
	park(7, 1, "IOWait", 5);
	wakes(1);
	kind = REC_SOCKET;
	put_socket(4, 77, 9000);	/* a look that is older than its records */
	park(7, 1, "IOWait", 5);
	check_waits(" / G2:? G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9000) G3:? "
		    "G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9001) G3:? "
		    "G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9001) /");
}

/* What the first look finds was there since the begin, if the poller has no record of the descriptor. */
static void a_socket_of_before_the_recording_is_known_from_the_begin(void)
{
	begin_story(26);
	park(7, 1, "IOWait", 5);
	wakes(1);
	put(REC_SOCKETS_LOOK, 0, 0, 1, 0, 0, 0);
	put_socket(4, 77, 9000);
	now += 1000;
	park(7, 1, "IOWait", 5);
	wakes(1);
	check_waits(" / G2:? G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9000) G3:? / G2:? "
		    "G1:network descriptor 4 (tcp 10.0.0.1:80 to 10.0.0.2:9000) G3:? /");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_channel_has_its_capacity),
		UNIT(locks_are_named_by_their_own_addresses),
		UNIT(a_select_has_its_channels),
		UNIT(a_select_with_many_channels_says_that_there_are_more),
		UNIT(channels_of_another_select_do_not_count),
		UNIT(a_snapshot_says_what_goroutines_wait_for),
		UNIT(a_snapshot_of_a_goroutine_that_has_moved_does_not_count),
		UNIT(a_goroutine_that_has_ended_is_not_named),
		UNIT(one_address_can_be_two_objects),
		UNIT(a_wait_that_goes_on_has_its_socket),
		UNIT(a_socket_is_known_between_two_looks),
		UNIT(a_descriptor_that_has_become_another_socket_is_not_mistaken),
		UNIT(a_closed_descriptor_is_no_socket),
		UNIT(short_connections_are_known_if_the_poller_has_records),
		UNIT(a_socket_of_before_the_recording_is_known_from_the_begin),
		{0} });
}
