// SPDX-License-Identifier: Apache-2.0
/* Triggers by the end of the program: by its exit status, and by the record of the goroutine that made it die. */
#define _GNU_SOURCE
#include "trigger_story.h"

static void ends_by_their_status(void)
{
	struct trigger_end end = { .time = 5, .known = true };

	begin_rules("exit");
	CHECK_EQ(observers.n, 0);
	end_rules();
	begin_rules("crash", "exit");
	snapshot();
	triggers_ended(triggers, &end);
	CHECK_EQ(n_facts, 1);
	CHECK_STR(facts[0].trigger, "exit");
	CHECK_STR(facts[0].what, "the program has ended with exit status 0");
	end_rules();
	begin_rules("crash");
	end.status = 2 << 8;
	snapshot();
	triggers_ended(triggers, &end);
	check_fact(0, 5, 0, "the program has ended with exit status 2");
	end_rules();
	begin_rules("crash");
	end.status = 11;
	snapshot();
	triggers_ended(triggers, &end);
	check_fact(0, 5, 0, "the program has ended by signal 11 (Segmentation fault)");
	end_rules();
}

/* Goroutine @g, on thread 7, makes the program die with @message. */
static void record_death(uint16_t how, uint64_t g, uint64_t stack, const char *message)
{
	union {
		struct rec_user u;
		char room[sizeof(struct rec_user) + 512];
	} r = { .u = { .r = { .time = now, .kind = REC_PROGRAM_DIES, .tid = 7, .id = g, .flags = how }, .stack = stack,
		       .room = 512 } };

	r.u.len[0] = (uint16_t)strlen(message);
	strcpy(r.u.text, message);
	observers_dies(&observers, &r.u);
	now += 10;
}

static void end_with(int status, const char *what, uint64_t g, const char *stack)
{
	triggers_finish(triggers);
	triggers_ended(triggers, &(struct trigger_end){ .time = now, .known = status >= 0, .status = status });
	CHECK_EQ(n_facts, 1);
	check_fact(0, now, g, what);
	CHECK_EQ(facts[0].m, g ? 7 : 0);
	CHECK_STR(facts[0].stack, stack);
	end_rules();
}

static void the_first_record_of_a_death_says_who_it_was(void)
{
	begin_rules("crash");
	snapshot();
	record_death(REC_END_PANIC, 3, 0x44, "the end");
	record_death(REC_END_SIGNAL | 6 << 8, 1, 0x55, "");	/* the second record is SIGABRT, by GOTRACEBACK=crash */
	end_with(6, "goroutine 3: panic: the end; the program has ended by signal 6 (Aborted)", 3, "main.lookup /src/x.go:7");
}

static void a_death_without_a_message_or_a_stack(void)
{
	begin_rules("crash");
	snapshot();
	record_death(REC_END_PANIC, 3, 0, "");
	end_with(2 << 8, "goroutine 3: panic; the program has ended with exit status 2", 3, "");
	begin_rules("crash");
	snapshot();
	record_death(REC_END_PANIC, 3, 0x77, "its stack was lost");
	end_with(-1, "goroutine 3: panic: its stack was lost; the program has ended", 3, "");
}

static void a_death_without_a_goroutine(void)
{
	begin_rules("crash");
	snapshot();
	record_death(REC_END_FATAL, 0, 0, "all goroutines are asleep - deadlock!");
	end_with(2 << 8, "fatal error: all goroutines are asleep - deadlock!; the program has ended with exit status 2", 0, "");
	begin_rules("crash");
	snapshot();
	record_death(REC_END_SIGNAL | 3 << 8, 0, 0, "");
	end_with(2 << 8, "signal 3 (Quit); the program has ended with exit status 2", 0, "");
	begin_rules("crash");
	snapshot();
	record_death(REC_END_SIGNAL | 15 << 8, 0, 0, "");
	end_with(15, "the program has ended by signal 15 (Terminated)", 0, "");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(ends_by_their_status),
		UNIT(the_first_record_of_a_death_says_who_it_was),
		UNIT(a_death_without_a_message_or_a_stack),
		UNIT(a_death_without_a_goroutine),
		{0},
	});
}
