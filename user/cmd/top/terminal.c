// SPDX-License-Identifier: Apache-2.0
/* terminal: see terminal.h. */
#define _GNU_SOURCE
#include "cmd/top/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/rights.h"
#include "cmd/record/signals.h"
#include "proc/privilege.h"

/* Alternate screen, no cursor, no wrap at the last column; and all of that back. */
static const char BEGIN[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char END[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static volatile sig_atomic_t resized, stop_asked;

static void on_resize(int sig)
{
	resized = 1;
}

static void on_stop(int sig)
{
	stop_asked = 1;
}

/*
 * Writes the text, unless the terminal takes nothing for half a second: then the rest is left
 * out.
 */
static void write_text(int fd, const char *text)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (*text) {
		ssize_t n = write(fd, text, strlen(text));

		if (n > 0)
			text += n;
		else if (n < 0 && errno == EAGAIN ? poll(&p, 1, 500) < 1 : errno != EINTR)
			return;
	}
}

static void restore(const struct terminal *t)
{
	write_text(t->fd, END);
	tcsetattr(t->fd, TCSANOW, &t->before);
}

/* Ctrl-C, Ctrl-\ and Ctrl-Z stay signals. */
static void set_mode(const struct terminal *t)
{
	struct termios raw = t->before;

	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO | IEXTEN);
	raw.c_iflag &= (tcflag_t)~(IXON | INLCR);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(t->fd, TCSANOW, &raw);
	write_text(t->fd, BEGIN);
}

/* --- the guard --- */

/*
 * The process that restores the terminal when its parent has ended. It is in a process group of
 * its own, and signals are blocked: SIGTTOU, which a background process gets when it changes the
 * terminal, would stop it.
 */
static void guard(struct terminal *t, int parent)
{
	static const int calls[] = {
#ifdef SYS_poll	/* arm64 has ppoll(2) alone */
		SYS_poll,
#endif
		SYS_ppoll, SYS_read, SYS_write, SYS_ioctl, SYS_exit, SYS_exit_group,
		SYS_rt_sigreturn, SYS_restart_syscall,
	};
	struct pollfd p = { .events = POLLIN };
	struct error err;

	prctl(PR_SET_NAME, "gotap-terminal");
	setpgid(0, 0);
	p.fd = dup2(parent, STDIN_FILENO);
	t->fd = dup2(t->fd, STDOUT_FILENO);
	close_between(STDERR_FILENO, INT_MAX);
	privilege_reserve_no_files();
	if (!privilege_keep(0, &err))
		rights_allow_calls(calls, sizeof(calls) / sizeof(calls[0]), &err);
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	restore(t);
	_exit(0);
}

static int start_guard(struct terminal *t, struct error *err)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0), e;

	if (self < 0)
		return error_set(err, -errno, "cannot watch over the terminal (pidfd_open): %s",
				 strerror(errno));
	t->guard = fork_deaf();
	e = errno;
	if (!t->guard)
		guard(t, self);
	close(self);
	return t->guard < 0 ?
		       error_set(err, -e, "cannot start the process that restores the terminal: %s",
				 strerror(e)) :
		       0;
}

static void end_guard(struct terminal *t)
{
	if (t->guard <= 0)
		return;
	kill(t->guard, SIGKILL);
	waitpid(t->guard, NULL, 0);
	t->guard = 0;
}

/* --- foreground and background --- */

/*
 * Is gotap in the foreground? In the background a change of the terminal's mode would stop it
 * (SIGTTOU), and its output would go between the lines of the shell.
 */
static bool is_ours(const struct terminal *t)
{
	pid_t group = tcgetpgrp(t->fd);

	return group < 0 || group == getpgrp();	/* < 0: not the terminal of a session of ours */
}

/*
 * Starts the guard and sets the mode, if gotap is in the foreground. An error is that of the
 * guard; the mode is set all the same.
 */
static int top_terminal_take(struct terminal *t, struct error *err)
{
	int r;

	t->away = !is_ours(t);
	if (t->away)
		return 0;
	r = start_guard(t, err);
	set_mode(t);
	t->out.len = t->at = 0;
	resized = 1;
	return r;
}

/*
 * Restores the terminal before it ends the guard: if gotap is killed in between, the terminal is
 * restored either way.
 */
static void give(struct terminal *t)
{
	if (!t->away)
		restore(t);
	end_guard(t);
	t->away = true;
}

/*
 * A description of its own: that of standard output is shared with the shell, which must not get
 * O_NONBLOCK.
 */
static int top_terminal_open_own(void)
{
	return open("/proc/self/fd/1", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

int terminal_check(struct error *err)
{
	const char *type = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return error_set(err, -ENOTTY,
				 "standard output is no terminal: --once prints text, --json a "
				 "line for each interval");
	if (type && !strcmp(type, "dumb"))
		return error_set(err, -ENOTTY,
				 "the terminal cannot place text (TERM is dumb): --once prints "
				 "text, --json a line for each interval");
	return 0;
}

int terminal_open(struct terminal *t, struct error *err)
{
	struct sigaction size = { .sa_handler = on_resize, .sa_flags = SA_RESTART };
	struct sigaction stop = { .sa_handler = on_stop, .sa_flags = SA_RESTART };
	int r;

	t->fd = top_terminal_open_own();
	if (t->fd < 0 || tcgetattr(t->fd, &t->before)) {
		r = error_set(err, -errno, "cannot open the terminal: %s", strerror(errno));
		if (t->fd >= 0)
			close(t->fd);
		t->fd = -1;
		return r;
	}
	sigaction(SIGWINCH, &size, NULL);
	sigaction(SIGTSTP, &stop, NULL);
	r = top_terminal_take(t, err);
	if (r)
		terminal_close(t);
	return r;
}

void terminal_close(struct terminal *t)
{
	if (t->fd < 0)
		return;
	give(t);
	signal(SIGTSTP, SIG_DFL);
	close(t->fd);
	buf_free(&t->out);
	*t = (struct terminal)TERMINAL_CLOSED;
}

/*
 * Ctrl-Z: restores the terminal for the shell, and stops. look_whose() takes it again when gotap
 * goes on in the foreground.
 */
static void stop_now(struct terminal *t)
{
	stop_asked = 0;
	give(t);
	raise(SIGSTOP);
}

/*
 * Takes the terminal when gotap has come to the foreground, and leaves it when gotap has left
 * that.
 */
static void look_whose(struct terminal *t)
{
	struct error none;

	if (stop_asked)
		stop_now(t);
	if (t->away && !signals_stop())
		/* without a guard where none can be started */
		top_terminal_take(t, &none);
	if (t->away || is_ours(t))
		return;
	end_guard(t);
	t->away = true;
}

bool terminal_look(struct terminal *t, int *rows, int *cols)
{
	struct winsize size = {0};

	if (t->away || !resized)
		return false;
	resized = 0;
	ioctl(t->fd, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : 24;
	*cols = size.ws_col ? size.ws_col : 80;
	return true;
}

ssize_t terminal_read(struct terminal *t, char *bytes, size_t n)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	ssize_t got;

	look_whose(t);
	got = t->away ? 0 : read(t->fd, bytes, n);
	if (got > 0)
		return got;
	if (got < 0 && errno != EAGAIN && errno != EINTR)
		return -errno;
	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR) ? -EIO : 0;
}

bool terminal_is_idle(struct terminal *t)
{
	ssize_t n;

	if (t->away)
		return false;
	while (t->at < t->out.len) {
		n = write(t->fd, t->out.data + t->at, t->out.len - t->at);
		if (n <= 0)
			return false;
		t->at += (size_t)n;
	}
	return true;
}

void terminal_write(struct terminal *t, struct buf *frame)
{
	struct buf swap = t->out;

	t->out = *frame;
	t->at = 0;
	*frame = swap;
	frame->len = 0;
	terminal_is_idle(t);
}

int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

bool terminal_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return utf8;
}
