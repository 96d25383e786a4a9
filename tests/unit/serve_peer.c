// SPDX-License-Identifier: Apache-2.0
/* serve: tokens in files and headers, and which processes a user may ask about. */
#define _GNU_SOURCE
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/peer.h"
#include "base/token.h"

/* --- tokens --- */

static void tokens_come_in_two_headers(void)
{
	static const struct token t = { "0123456789abcdef" };
	static const struct token none = { "" };

	CHECK(token_matches(&t, "Bearer 0123456789abcdef"));
	CHECK(token_matches(&t, "bearer 0123456789abcdef"));
	CHECK(token_matches(&t, "Basic Z290YXA6MDEyMzQ1Njc4OWFiY2RlZg=="));	/* gotap:0123456789abcdef */
	CHECK(token_matches(&t, "Basic OjAxMjM0NTY3ODlhYmNkZWY="));		/* :0123456789abcdef */
	CHECK(!token_matches(&t, NULL));
	CHECK(!token_matches(&t, ""));
	CHECK(!token_matches(&t, "Bearer "));
	CHECK(!token_matches(&t, "Bearer 0123456789abcde"));
	CHECK(!token_matches(&t, "Bearer 0123456789abcdef0"));
	CHECK(!token_matches(&t, "Bearer 0123456789abcdeF"));
	CHECK(!token_matches(&t, "0123456789abcdef"));
	CHECK(!token_matches(&t, "Digest 0123456789abcdef"));
	CHECK(!token_matches(&t, "Basic MDEyMzQ1Njc4OWFiY2RlZg=="));		/* 0123456789abcdef */
	CHECK(!token_matches(&t, "Basic Z290YXA6MDEyMzQ1Njc4OWFiY2RlZg==x"));
	CHECK(!token_matches(&t, "Basic !"));
	CHECK(!token_matches(&t, "Basic "));
	CHECK(token_matches(&none, NULL));
}

static void token_of(const char *text, mode_t mode, int right)
{
	char path[] = "/tmp/gotap-token.XXXXXX";
	struct error err = {0};
	struct token t;
	int fd = mkstemp(path);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !fchmod(fd, mode));
	close(fd);
	CHECK_EQ(!token_read(&t, path, &err), right);
	CHECK(right || strstr(err.text, path));
	if (right)
		CHECK(!strcmp(t.text, "0123456789abcdef"));
	unlink(path);
}

static void a_token_is_a_line_of_a_private_file(void)
{
	struct token t;

	token_of("0123456789abcdef\nmore\n", 0600, 1);
	token_of("0123456789abcdef", 0400, 1);
	token_of("0123456789abcdef\n", 0640, 0);
	token_of("0123456789abcdef\n", 0604, 0);
	token_of("0123456789abcde\n", 0600, 0);
	token_of("0123456789 abcdef\n", 0600, 0);
	token_of("0123456789abcdef\r\n", 0600, 0);
	token_of("", 0600, 0);
	CHECK(token_read(&t, "/", NULL) < 0);
	CHECK(token_read(&t, "/dev/null", NULL) < 0);
	CHECK(token_read(&t, "/nothing/there", NULL) < 0);
}

/* --- who asks --- */

enum { SOMEBODY = 65533 };

/*
 * A process of user SOMEBODY if the test runs as root, else of the test's user. @dumpable: as after an exec that gave
 * the process no new rights.
 */
static pid_t start_process(bool dumpable)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		if (!getuid() && setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
			_exit(1);
		prctl(PR_SET_DUMPABLE, dumpable);
		while (write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	close(ready[0]), close(ready[1]);
	return pid;
}

static bool may_ask(pid_t pid, struct peer who)
{
	struct procfs fs;
	struct subject s;
	bool may;

	CHECK(!procfs_open(&fs, NULL, NULL) && subject_open(&s, &fs, pid));
	CHECK(subject_state(&s) == SUBJECT_THERE);
	may = subject_allowed(&s, &who);
	subject_close(&s);
	return may;
}

static void a_user_may_ask_about_his_own_process(void)
{
	uid_t uid = getuid() ? getuid() : SOMEBODY;
	pid_t own = start_process(true), hidden = start_process(false);
	struct procfs fs;
	struct subject s;

	CHECK(may_ask(own, (struct peer){ .uid = uid }) && may_ask(own, (struct peer){ .all = true }));
	CHECK(!may_ask(own, (struct peer){ .uid = uid + 1 }));
	CHECK(!may_ask(hidden, (struct peer){ .uid = uid }) && may_ask(hidden, (struct peer){ .all = true }));
	CHECK(!may_ask(1, (struct peer){ .uid = uid }));
	CHECK(!procfs_open(&fs, NULL, NULL) && !subject_open(&s, &fs, 1 << 30));
	CHECK(subject_open(&s, &fs, own));
	kill(own, SIGKILL), kill(hidden, SIGKILL);
	waitpid(own, NULL, 0), waitpid(hidden, NULL, 0);
	CHECK(subject_state(&s) == SUBJECT_GONE && !subject_allowed(&s, &(struct peer){ .uid = uid }));
	subject_close(&s);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(tokens_come_in_two_headers),
		UNIT(a_token_is_a_line_of_a_private_file),
		UNIT(a_user_may_ask_about_his_own_process),
		{0},
	});
}
