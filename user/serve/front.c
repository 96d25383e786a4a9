// SPDX-License-Identifier: Apache-2.0
/* front: its begin and its end; see front.h. */
#define _GNU_SOURCE
#include "serve/front.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "serve/channel.h"
#include "serve/front_internal.h"

/* The first packet of the front. */
struct front_begun {
	int32_t code;
	struct error err;
};

/* --- the process --- */

/* The numbers of its descriptors; those from 0 to 2 read and write nothing. */
enum { FRONT_LISTENER = 3, FRONT_CHANNEL, FRONT_OWN };

static bool front_keep_only(int listener, int channel)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	/* above all numbers that are given out here */
	listener = fcntl(listener, F_DUPFD_CLOEXEC, FRONT_OWN);
	channel = fcntl(channel, F_DUPFD_CLOEXEC, FRONT_OWN);
	if (null < 0 || listener < 0 || channel < 0)
		return false;
	for (i = 0; i <= STDERR_FILENO; i++)
		if (dup2(null, i) != i)
			return false;
	if (dup2(listener, FRONT_LISTENER) < 0 || dup2(channel, FRONT_CHANNEL) < 0)
		return false;
	close_between(FRONT_OWN, INT_MAX);
	return !fcntl(FRONT_LISTENER, F_SETFL, O_RDWR | O_NONBLOCK);
}

/* The texts of the environment may have secrets of the user; nothing reads them after this. */
static void front_forget(const struct front_options *o)
{
	char **text;

	explicit_bzero(o->forget, o->forget_size);
	for (text = environ; text && *text; text++)
		explicit_bzero(*text, strlen(*text));
}

static _Noreturn void front_main(const struct front_options *o, int listener, int channel,
				 pid_t parent)
{
	struct front_side f = {
		.is_unix = o->address->is_unix, .max_seconds = o->max_seconds,
		.listener = FRONT_LISTENER, .channel = FRONT_CHANNEL,
		.asking = PTHREAD_MUTEX_INITIALIZER,
	};
	struct front_begun begun = {0};

	snprintf(f.hosts, sizeof(f.hosts), "%s", o->hosts ? o->hosts : "");
	prctl(PR_SET_NAME, "gotap-http");
	if (!front_keep_only(listener, channel))
		_exit(1);
	begun.code = mhd_load(&begun.err);
	front_forget(o);
	if (!begun.code)
		begun.code = front_rights_drop(&begun.err);
	if (!begun.code)
		begun.code = front_daemon_start(&f, &begun.err);
	/* the kernel sends no signal for a parent that had ended before it was asked to */
	if (channel_send(f.channel, &begun, sizeof(begun), -1) || begun.code || getppid() != parent)
		_exit(1);
	front_daemon_run(&f);
	_exit(0);
}

/* --- the server's side --- */

static int front_wait_begun(struct front *f, struct error *err)
{
	struct front_begun begun;
	char how[64];
	int fd, r = channel_receive(f->channel, &begun, sizeof(begun), &fd);

	if (fd >= 0)
		close(fd);
	if (r == 1 && !begun.code)
		return 0;
	if (r == 1) {
		begun.err.text[sizeof(begun.err.text) - 1] = 0;
		return error_set(err, begun.code < 0 ? begun.code : -EBADMSG, "%s", begun.err.text);
	}
	while (!front_has_ended(f, how))
		usleep(1000);
	return error_set(err, -EBADMSG,
			 "gotap-http, the process that parses HTTP, %s before it could begin", how);
}

int front_start(struct front *f, const struct front_options *o, int listener, struct error *err)
{
	pid_t parent = getpid();
	int ends[2], r = channel_open(ends);

	*f = FRONT_NONE;
	if (r)
		return error_set(err, r, "cannot make a socket: %s", strerror(-r));
	f->channel = ends[0];
	f->pid = fork_deaf();
	if (!f->pid)
		front_main(o, listener, ends[1], parent);
	r = -errno;
	close(ends[1]);
	if (f->pid > 0)
		return front_wait_begun(f, err);
	f->pid = 0;
	return error_set(err, r, "cannot make a process: %s", strerror(-r));
}

void front_quiesce(struct front *f)
{
	if (f->channel >= 0)
		shutdown(f->channel, SHUT_RDWR);
}

bool front_has_ended(struct front *f, char how[static 64])
{
	int status;
	pid_t r = f->pid ? waitpid(f->pid, &status, WNOHANG) : 0;

	if (r > 0 && WIFSIGNALED(status))
		snprintf(how, 64, "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, 64, "has ended");
	if (r)
		f->pid = 0;
	return !f->pid;
}

void front_kill(struct front *f)
{
	if (f->pid && !kill(f->pid, SIGKILL))
		while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
			;
	f->pid = 0;
	if (f->channel >= 0)
		close(f->channel);
	f->channel = -1;
}
