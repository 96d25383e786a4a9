// SPDX-License-Identifier: Apache-2.0
/* signals: steps, copies and ignored signals of `gotap record`; all cases at once, as they sleep. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/signals.h"

static void pass_copies(void)
{
	usleep(2100000);
}

static void copies_are_no_steps(void)
{
	signals_catch(false);
	CHECK(!signals_stop());
	raise(SIGINT);
	CHECK(signals_stop());
	raise(SIGINT);
	raise(SIGHUP);
	raise(SIGQUIT);
	raise(SIGTERM);
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
	signals_catch(true);
	raise(SIGINT);
	raise(SIGINT);
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

static void each_in_a_process_of_its_own(void)
{
	static void (*const cases[])(void) = {
		copies_are_no_steps, a_step_without_effect_ends_the_waiting, a_third_step_ends_it,
		a_third_step_ends_it_with_a_command, the_first_of_the_keyboard_is_the_programs,
		the_second_of_the_keyboard_stops, ignored_ones_stay_ignored_but_for_the_keyboards,
	};
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	int i, status;

	fflush(stdout);
	for (i = 0; i < CASES; i++)
		if (!fork()) {
			cases[i]();
			fflush(stdout);
			_exit(unit_failures != 0);
		}
	for (i = 0; i < CASES; i++) {
		wait(&status);
		CHECK_EQ(status, 0);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(each_in_a_process_of_its_own), {0} });
}
