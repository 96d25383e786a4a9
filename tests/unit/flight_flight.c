// SPDX-License-Identifier: Apache-2.0
/*
 * Requests for snapshots: which facts get one, which generations are in it, when it is written, and what its JSON and
 * messages say.
 */
#define _GNU_SOURCE
#include "flight_story.h"

static void a_snapshot_waits_for_its_end(void)
{
	char note[FLIGHT_NOTE];
	unsigned int i;

	begin();
	opts.before = 2 * S;
	opts.after = 3 * S;
	start();
	for (i = 1; i <= 5; i++)
		add(i);
	CHECK(trigger_at(5.5, false) != 0);
	CHECK(!flight_note(flight, t0 + 5 * S, note));	/* the trace has not reached the time of the fact */
	CHECK(flight_note(flight, t0 + 6 * S, note));
	CHECK_STR(note, "snapshot: test>1s: it is");
	CHECK(!flight_note(flight, t0 + 6 * S, note));
	CHECK(!flight_is_due(flight, t0 + 8 * S));
	for (i = 6; i <= 9; i++)
		add(i);
	CHECK(flight_is_due(flight, t0 + 9 * S));
	turned(9);
	CHECK(!flight_is_due(flight, t0 + 9 * S));
	end();
	CHECK_EQ(n_dones, 1);
	CHECK_EQ(dones[0].bytes, 606);
	check_file(1, 3, 8);
	CHECK_STR(field(1, "trigger.at_s"), "2.500000000");
	CHECK_STR(field(1, "trigger.stack"), "[\"main.f f.go:3\",\"main.main f.go:9\"]");
	CHECK_STR(field(1, "trigger.goroutine"), "7");
	CHECK_STR(field(1, "window.short"), "none");	/* null */
	CHECK_STR(field(1, "window.generations"), "6");
	CHECK_STR(field(1, "losses.lost"), "6");	/* of generations 3 to 8 */
	CHECK_STR(field(1, "losses_since_begin.lost"), "8");
	CHECK_STR(field(1, "bytes"), "606");
	CHECK_STR(said, "");
	clean();
}

static void the_cooldown(void)
{
	begin();
	start();
	add(1);
	CHECK_EQ(trigger_at(1.1, false), 1);
	CHECK_EQ(trigger_at(1.2, false), 0);
	CHECK_EQ(trigger_at(6.0, false), 0);
	CHECK_EQ(trigger_at(1.3, true), 2);	/* asked for by hand: no cooldown */
	CHECK_EQ(trigger_at(6.1, false), 3);
	flight_finish(flight);
	CHECK_EQ(n_dones, 3);
	CHECK_EQ(trigger_at(1, true), 0);
	flight_free(flight);
	clean();
}

static char taken_ids[4][FACT_ID];
static int n_taken;

static void on_taken(void *ctx, const struct flight_fact *fact)
{
	if (n_taken < 4)
		strcpy(taken_ids[n_taken], fact->id);
	n_taken++;
}

static enum flight_refusal peer_at(double at, const char *id, uint64_t *number)
{
	struct flight_fact fact = { .trigger = "peer", .time = t0 + (uint64_t)(at * (double)S) };
	enum flight_refusal why;

	snprintf(fact.id, sizeof(fact.id), "%s", id);
	*number = flight_trigger_why(flight, &fact, &why);
	return why;
}

/* An incident that was here gets no second snapshot; others have the cooldown. */
static void an_incident_is_taken_once(void)
{
	uint64_t number;
	char id[FACT_ID];
	int i;

	begin();
	opts.taken = on_taken;
	start();
	add(1);
	n_taken = 0;
	CHECK_EQ(peer_at(1.0, "one", &number), FLIGHT_TAKEN);
	CHECK_EQ(number, 1);
	CHECK_EQ(peer_at(9.0, "one", &number), FLIGHT_SEEN);
	CHECK_EQ(number, 0);
	CHECK_EQ(peer_at(1.5, "two", &number), FLIGHT_COOLS);
	CHECK_EQ(peer_at(6.5, "two", &number), FLIGHT_TAKEN);
	/* one of this recording has a new id, which is seen when it comes back */
	CHECK_EQ(trigger_at(12, false), 3);
	CHECK_EQ(n_taken, 3);
	CHECK_STR(taken_ids[0], "one");
	CHECK_EQ(strlen(taken_ids[2]), FACT_ID - 1);
	CHECK_EQ(peer_at(20, taken_ids[2], &number), FLIGHT_SEEN);
	/* what was refused was not seen */
	for (i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "other%d", i);
		CHECK_EQ(peer_at(12.5, id, &number), FLIGHT_COOLS);
	}
	CHECK_EQ(peer_at(20, "one", &number), FLIGHT_SEEN);
	flight_finish(flight);
	CHECK_EQ(peer_at(20, "three", &number), FLIGHT_OVER);
	CHECK_EQ(n_dones, 3);
	flight_free(flight);
	clean();
}

/* After a failure, such as a full disk, the cooldown holds as well: not every fact makes gotap try again. */
static void the_cooldown_after_one_that_failed(void)
{
	struct flight_counts c;

	begin();
	start();
	CHECK_EQ(trigger_at(1.1, false), 1);	/* it fails, as there is no generation yet */
	turned(2);
	wait_for_dones(1);
	CHECK(!dones[0].written);
	CHECK_EQ(trigger_at(6.0, false), 0);
	CHECK_EQ(trigger_at(6.1, false), 2);
	c = end();
	CHECK_EQ(c.failed, 2);
	CHECK_EQ(c.refused, 1);
	clean();
}

static void refused_ones_are_counted(void)
{
	struct flight_counts c;

	begin();
	start();
	add(1);
	trigger_at(1.1, false);
	trigger_at(1.2, false);
	trigger_at(1.3, false);
	trigger_at(7, false);
	c = end();
	CHECK_EQ(c.written, 2);
	CHECK_EQ(c.refused, 2);
	CHECK_EQ(atoi(field(1, "triggers_refused")) + atoi(field(2, "triggers_refused")), 2);
	clean();
}

/* Requests by triggers that wait for their --after leave room for one by hand, or at the end of the program. */
static void who_asks_has_room(void)
{
	struct flight_counts c;
	int i;

	begin();
	opts.after = 100 * S;
	opts.cooldown = 0;
	start();
	add(1);
	for (i = 0; i < 40; i++)
		trigger_at(1 + i, false);
	CHECK(trigger_at(50, true) != 0);
	c = end();
	CHECK_EQ(c.written, 13);
	CHECK_EQ(c.refused, 28);
	clean();
}

/*
 * A request that comes between flight_note() and flight_turned() is served by the next pair of them: a snapshot always
 * has its note.
 */
static void no_snapshot_without_its_note(void)
{
	begin();
	start();
	add(1);
	trigger_at(1.5, true);
	CHECK(!flight_is_due(flight, t0 + 2 * S));
	flight_turned(flight, t0 + 2 * S);
	turned(2);
	wait_for_dones(1);
	CHECK_EQ(n_dones, 1);
	end();
	clean();
}

/* Requests beyond those that can wait are refused. */
static void too_many(void)
{
	struct flight_counts c;
	int i;

	begin();
	opts.after = 100 * S;
	start();
	add(1);
	for (i = 0; i < 40; i++)
		trigger_at(1 + i, true);
	c = end();
	CHECK_EQ(c.written + c.refused, 40);
	CHECK(c.written >= 8 && c.written <= 16);
	CHECK_STR(field(1, "window.short"), "\"the recording ended\"");
	clean();
}

/* A fact from behind the last generation, which gotap was asked for while it ended the recording, is at its end. */
static void asked_for_at_the_end(void)
{
	unsigned int i, first, second;

	begin();
	opts.before = S;
	start();
	for (i = 1; i <= 3; i++)
		add(i);
	trigger_at(3.5, true);
	trigger_at(4.5, true);
	end();
	CHECK_EQ(n_dones, 2);
	for (i = 1; i <= 2; i++)
		CHECK_STR(field(i, "window.short"), "none");	/* null */
	/* Both are written at the end, by two threads: the one that begins first has number 1. */
	first = strcmp(field(1, "trigger.at_s"), "1.500000000") ? 2 : 1;
	second = 3 - first;
	check_file(first, 2, 3);
	CHECK_STR(field(first, "trigger.at_s"), "1.500000000");
	check_file(second, 2, 3);
	CHECK_STR(field(second, "trigger.at_s"), "1.999999999");
	CHECK_STR(field(second, "window.duration_s"), "1.999999999");
	clean();
}

static void too_little_memory_is_said(void)
{
	unsigned int i;

	begin();
	opts.size = 300;
	start();
	for (i = 1; i <= 8; i++)
		add(i);
	trigger_at(8.5, false);
	turned(9);
	end();
	check_file(1, 6, 8);
	CHECK(strstr(field(1, "window.short"), "not in memory any more") != NULL);
	clean();
}

static void nothing_to_write(void)
{
	begin();
	start();
	trigger_at(1, true);
	turned(2);
	end();
	CHECK_EQ(n_dones, 1);
	CHECK(!dones[0].written);
	CHECK(strstr(said, "nothing to write") != NULL);
	CHECK_EQ(files(), 0);
	clean();
}

/* No file is replaced, and an error that repeats is reported once. */
static void faults(void)
{
	char path[128];
	int i, fd;

	begin();
	start();
	add(1);
	snprintf(path, sizeof(path), "%s/2.trace.json", folder);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	close(fd);
	for (i = 0; i < 2; i++)
		write_one();
	check_file(1, 1, 1);
	check_file(3, 1, 1);
	clean();
	for (i = 0; i < 3; i++)
		write_one();
	CHECK(!dones[4].written);
	CHECK(strstr(said, "No such file") != NULL);
	CHECK(strstr(strstr(said, "No such file") + 1, "No such file") == NULL);
	CHECK_EQ(mkdir(folder, 0755), 0);
	trigger_at(1.1, true);
	end();
	CHECK(strstr(said, "can be written again") != NULL);
	CHECK_EQ(files(), 2);
	clean();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_snapshot_waits_for_its_end),
		UNIT(the_cooldown), UNIT(an_incident_is_taken_once),
		UNIT(the_cooldown_after_one_that_failed),
		UNIT(refused_ones_are_counted),
		UNIT(who_asks_has_room),
		UNIT(no_snapshot_without_its_note),
		UNIT(too_many),
		UNIT(asked_for_at_the_end),
		UNIT(too_little_memory_is_said),
		UNIT(nothing_to_write),
		UNIT(faults),
		{0},
	});
}
