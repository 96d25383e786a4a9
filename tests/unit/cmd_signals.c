// SPDX-License-Identifier: Apache-2.0
/* signals: steps, copies and ignored signals of `gotap record`; all cases at once, as they sleep. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/record/signals.h"

static void pass_copies(void)
{
	usleep(2100000);
}

/*
 * Exit status of a case that has to run again: other programs kept the CPU for 2 s or more, so that a signal that was
 * to count as a copy of the one before did not.
 */
enum { TOO_SLOW = 99 };

static void must_be_copies(uint64_t since)
{
	if (now_ns() - since >= 2000000000)
		_exit(TOO_SLOW);
}

static void copies_are_no_steps(void)
{
	uint64_t begin = now_ns();

	signals_catch(false);
	CHECK(!signals_stop());
	raise(SIGINT);
	CHECK(signals_stop());
	raise(SIGINT);
	raise(SIGHUP);
	raise(SIGQUIT);
	raise(SIGTERM);
	must_be_copies(begin);
	CHECK(!signals_give_up());
	pass_copies();
	raise(SIGTERM);
	CHECK(signals_give_up());
	signals_begin_wait(2);
	CHECK(!signals_stop());
}

/* -d ended the recording: the signal is for the waiting. */
static void a_step_without_effect_ends_the_waiting(void)
{
	signals_catch(true);
	raise(SIGTERM);
	signals_begin_wait(0);
	CHECK(signals_stop());
	signals_begin_wait(1);
	CHECK(!signals_stop());
}

/* Ends with the status of a failure and @text on stderr. */
static void check_third(bool launched, bool partial, int want, const char *text)
{
	char said[128] = "";
	int status = -1, fds[2];
	pid_t pid;

	CHECK(!pipe(fds));
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		signals_catch(launched);
		signals_partial_stays(partial);
		raise(SIGTERM);
		pass_copies();
		raise(SIGTERM);
		pass_copies();
		raise(SIGTERM);
		_exit(0);
	}
	close(fds[1]);
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == want);
	CHECK(read(fds[0], said, sizeof(said) - 1) > 0);
	CHECK_STR(said, text);
	close(fds[0]);
}

static void a_third_step_ends_it(void)
{
	check_third(false, true, 1,
		    "gotap: ended by a third signal; what was written is in the .partial file\n");
}

static void a_third_step_ends_it_with_a_command(void)
{
	check_third(true, false, 125, "gotap: ended by a third signal\n");
}

static void the_first_of_the_keyboard_is_the_programs(void)
{
	uint64_t begin = now_ns();

	signals_catch(true);
	raise(SIGINT);
	raise(SIGINT);
	must_be_copies(begin);
	CHECK(!signals_stop());
	raise(SIGTERM);
	CHECK(signals_stop());
}

static void the_second_of_the_keyboard_stops(void)
{
	signals_catch(true);
	raise(SIGINT);
	pass_copies();
	raise(SIGINT);
	CHECK(signals_stop());
	CHECK(!signals_give_up());
}

static void ignored_ones_stay_ignored_but_for_the_keyboards(void)
{
	struct sigaction now;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signals_catch(false);
	raise(SIGHUP);
	CHECK(!signals_stop());
	raise(SIGINT);
	CHECK(signals_stop());
	signals_restore();
	sigaction(SIGINT, NULL, &now);
	CHECK(now.sa_handler == SIG_IGN);
	sigaction(SIGXFSZ, NULL, &now);
	CHECK(now.sa_handler == SIG_DFL);
}

static bool blocks_snapshot(void)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	return sigismember(&blocked, SIGUSR1) == 1;
}

/* The parent of a recorder may send it SIGUSR1 before the recorder has installed a handler. */
static void a_snapshot_waits_until_it_is_caught(void)
{
	uint64_t begin = now_ns();

	signals_block_snapshot();
	raise(SIGUSR1);
	CHECK(!signals_snapshot());
	signals_catch_snapshot();
	CHECK(!blocks_snapshot());
	CHECK(signals_snapshot() >= begin);
	CHECK(!signals_snapshot());
	signals_restore();
	CHECK(blocks_snapshot());
}

static void a_command_has_the_mask_that_gotap_found(void)
{
	signals_catch_snapshot();
	signals_restore();
	CHECK(!blocks_snapshot());
}

static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	run();
	fflush(stdout);
	_exit(unit_failures != 0);
}

static void end(pid_t pid, void (*run)(void))
{
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == TOO_SLOW)
		pid = start(run);
	CHECK_EQ(status, 0);
}

static void each_in_a_process_of_its_own(void)
{
	static void (*const cases[])(void) = {
		copies_are_no_steps, a_step_without_effect_ends_the_waiting, a_third_step_ends_it,
		a_third_step_ends_it_with_a_command, the_first_of_the_keyboard_is_the_programs,
		the_second_of_the_keyboard_stops, ignored_ones_stay_ignored_but_for_the_keyboards,
		a_snapshot_waits_until_it_is_caught, a_command_has_the_mask_that_gotap_found,
	};
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	pid_t pids[CASES];
	int i;

	fflush(stdout);
	for (i = 0; i < CASES; i++)
		pids[i] = start(cases[i]);
	for (i = 0; i < CASES; i++)
		end(pids[i], cases[i]);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(each_in_a_process_of_its_own), {0} });
}
