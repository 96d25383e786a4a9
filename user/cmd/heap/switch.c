// SPDX-License-Identifier: Apache-2.0
/*
 * switch: memory profiling of a program that has it off, switched on for a time by the word
 * runtime.MemProfileRate, which each allocation reads. See heap.h.
 *
 * The program is changed, so that the change must end with gotap, however gotap ends. A process
 * (gotap-heap), which no signal of a terminal reaches, makes the change, and takes it back when
 * gotap asks for that or has gone. If it was killed, too, its note is left in the folder of gotap's
 * sockets: the address of the word and the value that was written. The next `gotap heap` of the
 * process takes the change back. The note is locked as long as its writer lives.
 *
 * Only a rate of 0 is changed, so that the old value is known; and it is put back only if the word
 * still has gotap's value: the program may have set another one. All writes go through a file
 * (/proc/PID/mem) that is open on the memory of the very program that was looked at.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/heap/heap.h"
#include "flight/socket_folder.h"
#include "live/memory.h"
#include "proc/privilege.h"

enum { NOTE_SIZE = 256 };

/* The process that has made the change. */
static struct {
	pid_t pid;			/* 0: nothing is changed */
	/* pipes: asks by its end; an answer is 0 or -errno, as int */
	int ask, answer;
} switched = { .ask = -1, .answer = -1 };

/* What a note says. */
struct note {
	uint64_t addr, value;
	uint64_t exe[3];		/* struct process, exe_id */
};

/* --- notes --- */

/* Stores the path of the note; the folder is made if it is not there. */
static int note_path(const struct heap_cmd *h, char ret[static SOCKET_PATH], struct error *err)
{
	char socket[SOCKET_PATH];
	char *name;
	int r = socket_folder_make((unsigned int)h->look.proc.pid, socket, err);

	if (r)
		return r;
	name = strrchr(socket, '/');
	if (snprintf(ret, SOCKET_PATH, "%.*s/heap%s", (int)(name - socket), socket,
		     strchr(name, '-')) >= SOCKET_PATH)
		return error_set(err, -ENAMETOOLONG, "the path '%s' is too long", socket);
	return 0;
}

static bool note_write(int fd, const struct note *n)
{
	char text[NOTE_SIZE];
	int len = snprintf(text, sizeof(text),
			   "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", n->addr,
			   n->value, n->exe[0], n->exe[1], n->exe[2]);

	return write(fd, text, (size_t)len) == len;
}

static bool note_read(int fd, struct note *ret)
{
	char text[NOTE_SIZE];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = 0;
	return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ret->addr,
		      &ret->value, &ret->exe[0], &ret->exe[1], &ret->exe[2]) == 5;
}

/* --- the change --- */

/* What has become of the word. */
enum taken {
	TAKEN_FAILED,		/* it has gotap's value, and cannot be written */
	TAKEN_NOTHING,		/* it is not gotap's: 0, another value, or gone with the process */
	TAKEN_BACK,		/* it had gotap's value, and is 0 now */
};

/*
 * The open file is of the memory of one program: after the end of that, or an exec, a read or write
 * finds 0 bytes. errno then is ESRCH.
 */
static bool switch_moved(ssize_t n)
{
	if (n >= 0 && n != sizeof(uint64_t))
		errno = ESRCH;
	return n == sizeof(uint64_t);
}

static bool switch_read(const struct process *p, uint64_t addr, uint64_t *ret)
{
	return switch_moved(pread(p->writable, ret, sizeof(*ret), (off_t)addr));
}

static bool switch_write(const struct process *p, uint64_t addr, uint64_t value)
{
	return switch_moved(pwrite(p->writable, &value, sizeof(value), (off_t)addr));
}

static enum taken switch_take_back(const struct process *p, const struct note *n)
{
	uint64_t now;

	/* a memory that cannot be read is gone */
	if (!switch_read(p, n->addr, &now) || now != n->value)
		return TAKEN_NOTHING;
	return switch_write(p, n->addr, 0) ? TAKEN_BACK : TAKEN_FAILED;
}

/* Gives up all rights, and makes the change. Returns -EALREADY if the word is not 0. */
static int switch_change(const struct process *p, const struct note *n)
{
	struct error err;
	uint64_t now;
	int r = privilege_keep(0, &err);

	if (!r)
		r = privilege_filter(false, &err);
	if (r)
		return r;
	if (!switch_read(p, n->addr, &now))
		return -errno;
	if (now)
		return -EALREADY;
	return switch_write(p, n->addr, n->value) ? 0 : -errno;
}

/* In the process that holds the change, and the lock of the note. */
static _Noreturn void switch_hold(const struct process *p, const char *path, const struct note *n,
				  int asked, int answer)
{
	char byte;
	int r;

	prctl(PR_SET_NAME, "gotap-heap");
	privilege_reserve_no_files();
	r = switch_change(p, n);
	if (r)
		unlink(path);
	(void)!write(answer, &r, sizeof(r));
	if (r)
		_exit(1);
	while (read(asked, &byte, 1) < 0 && errno == EINTR)
		;
	r = switch_take_back(p, n) == TAKEN_FAILED ? -EIO : 0;
	if (!r)
		unlink(path);
	(void)!write(answer, &r, sizeof(r));
	_exit(0);
}

static void switch_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Starts the process that holds the change. Returns -errno. */
static int switch_fork(const struct process *p, const char *path, const struct note *n)
{
	int ask[2] = { -1, -1 }, answer[2] = { -1, -1 }, r = 0;

	if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC) ||
	    (switched.pid = fork_deaf()) < 0)
		r = -errno;
	if (!r && !switched.pid) {
		close(ask[1]);
		close(answer[0]);
		switch_hold(p, path, n, ask[0], answer[1]);
	}
	switch_close(&ask[0]);
	switch_close(&answer[1]);
	switched.ask = ask[1];
	switched.answer = answer[0];
	if (!r)
		return 0;
	switched.pid = 0;
	switch_close(&switched.ask);
	switch_close(&switched.answer);
	return r;
}

static bool switch_answer(int *ret)
{
	ssize_t n;

	while ((n = read(switched.answer, ret, sizeof(*ret))) < 0 && errno == EINTR)
		;
	return n == sizeof(*ret);
}

/* Ends the process that holds the change. False: it was killed, and its note is there. */
static bool switch_join(int *ret)
{
	bool answered;

	switch_close(&switched.ask);
	answered = switch_answer(ret);
	switch_close(&switched.answer);
	waitpid(switched.pid, NULL, 0);
	switched.pid = 0;
	return answered;
}

static int switch_is_on(const struct heap_cmd *h, uint64_t rate, struct error *err)
{
	return error_set(err, -EALREADY,
			 "process %d has memory profiling on (one sample in %" PRIu64
			 " bytes): leave --switch-on out",
			 h->look.proc.pid, rate);
}

/* The process that holds the change has answered @r, or not at all (@r is 0). */
static int switch_refused(struct heap_cmd *h, int r, struct error *err)
{
	uint64_t now = 0;
	int none;

	switch_join(&none);
	if (r == -EALREADY && memory_read(&h->look.proc, h->vars.rate + h->look.proc.bias, &now,
					  sizeof(now)))
		return switch_is_on(h, now, err);
	if (r)
		return error_set(err, r, "cannot write to the memory of process %d: %s",
				 h->look.proc.pid, strerror(-r));
	r = heap_switch_recover(h, err);
	return r ? r : error_set(err, -ECHILD, "gotap-heap, which switches memory profiling of "
				 "process %d on, was killed", h->look.proc.pid);
}

/* Makes the note, complete and locked from the moment that it is there. Returns its descriptor. */
static int switch_note(const char *path, const struct note *n, struct error *err)
{
	char made[SOCKET_PATH + 16];
	int fd, r = 0;

	snprintf(made, sizeof(made), "%s.%d", path, getpid());
	unlink(made);		/* of a gotap that was killed and had the same process id */
	fd = open(made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		r = -errno;
	else if (!note_write(fd, n))
		r = -EIO;
	else if (link(made, path))
		r = -errno;
	if (fd >= 0)
		unlink(made);
	if (!r)
		return fd;
	if (fd >= 0)
		close(fd);
	if (r == -EEXIST)
		return error_set(err, -EBUSY, "another gotap switches profiling on: '%s'", path);
	return error_set(err, r, "cannot make '%s', which would end the change if gotap was "
			 "killed: %s", path, strerror(-r));
}

static int switch_start(struct heap_cmd *h, const char *path, const struct note *n,
			struct error *err)
{
	int r, answer = 0, note = switch_note(path, n, err);

	if (note < 0)
		return note;
	r = switch_fork(&h->look.proc, path, n);
	if (r)
		unlink(path);
	close(note);		/* the other process has the lock */
	if (r)
		return error_set(err, r, "cannot start the process that switches memory profiling "
				 "on: %s", strerror(-r));
	if (switch_answer(&answer) && !answer)
		return 0;
	return switch_refused(h, answer, err);
}

/*
 * Is the folder of the note one of a container that can be killed without the program? gotap is
 * then in another mount namespace than the first process that it sees (or the program, if that may
 * not be read), or sees the program through the proc of another PID namespace.
 */
static bool switch_is_apart(const struct heap_cmd *h)
{
	const struct procfs *fs = &h->look.proc.fs;
	struct procfs_file_id first, own;

	if (!fs->own)
		return true;
	if (procfs_file_id(fs, 1, "ns/mnt", &first) &&
	    procfs_file_id(fs, h->look.proc.pid, "ns/mnt", &first))
		return false;
	return !procfs_file_id(fs, getpid(), "ns/mnt", &own) && !procfs_same_file(first, own);
}

static void switch_warn(const struct heap_cmd *h, const char *path)
{
	if (switch_is_apart(h))
		show_printf(stderr,
			    "gotap: if the container of this gotap is killed with all that is in "
			    "it, the note '%s' is lost, and memory profiling of process %d remains "
			    "on: --switch-off ends it then\n", path, h->look.proc.pid);
}

/* The user asks for it, so that it matters not who has set the rate. */
int heap_switch_reset(struct heap_cmd *h, struct error *err)
{
	struct note n = { .addr = h->vars.rate + h->look.proc.bias };
	int r;

	if (!h->vars.rate)
		return error_set(err, -ENOENT, "runtime.MemProfileRate of process %d was not found",
				 h->look.proc.pid);
	r = look_hold_memory(&h->look, err);
	if (r)
		return r;
	if (!switch_read(&h->look.proc, n.addr, &n.value))
		r = memory_error(&h->look.proc, NULL, "runtime.MemProfileRate", err);
	else if (n.value && switch_take_back(&h->look.proc, &n) == TAKEN_FAILED)
		r = error_set(err, -EIO, "cannot write to the memory of process %d",
			      h->look.proc.pid);
	process_leave_memory(&h->look.proc);
	if (!r && n.value)
		printf("memory profiling of process %d is off now; it was one sample in %" PRIu64
		       " bytes\n", h->look.proc.pid, n.value);
	else if (!r)
		printf("memory profiling of process %d was off\n", h->look.proc.pid);
	return r;
}

int heap_switch_on(struct heap_cmd *h, struct error *err)
{
	struct note n = { h->vars.rate + h->look.proc.bias, h->o->rate, { 0 } };
	char path[SOCKET_PATH];
	uint64_t now;
	int r;

	memcpy(n.exe, h->look.proc.exe_id, sizeof(n.exe));
	if (!memory_read(&h->look.proc, n.addr, &now, sizeof(now)))
		return memory_error(&h->look.proc, NULL, "runtime.MemProfileRate", err);
	if (now)
		return switch_is_on(h, now, err);
	r = note_path(h, path, err);
	if (!r)
		r = look_hold_memory(&h->look, err);
	if (!r)
		r = switch_start(h, path, &n, err);
	process_leave_memory(&h->look.proc);
	if (!r)
		switch_warn(h, path);
	return r;
}

int heap_switch_off(struct heap_cmd *h, struct error *err)
{
	int r;

	if (switched.pid <= 0)
		return 0;
	/* if it was killed, or could not write, its note is there */
	return switch_join(&r) && !r ? 0 : heap_switch_recover(h, err);
}

/* --- what was left --- */

/* Takes back what note @n says, if it is of this program. */
static int note_undo(struct heap_cmd *h, const struct note *n, struct error *err)
{
	enum taken taken;
	int r;

	if (n->addr != h->vars.rate + h->look.proc.bias ||
	    memcmp(n->exe, h->look.proc.exe_id, sizeof(n->exe)))
		return 0;
	r = look_hold_memory(&h->look, err);
	if (r == -ESRCH || r == -ESTALE)
		return 0;	/* the word is gone with the program */
	taken = r ? TAKEN_FAILED : switch_take_back(&h->look.proc, n);
	process_leave_memory(&h->look.proc);
	if (taken == TAKEN_FAILED)
		return error_set(err, -EPERM,
				 "a gotap that was killed has left memory profiling of process %d "
				 "on, and it cannot be switched off: run gotap as root",
				 h->look.proc.pid);
	if (taken == TAKEN_BACK)
		show_printf(stderr, "gotap: a gotap that was killed had left memory profiling of "
				    "process %d on: it is off again\n",
			    h->look.proc.pid);
	return 0;
}

/* Is the file that is open as @fd still the one at @path? */
static bool note_is_at(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* -EAGAIN: another gotap has removed the note meanwhile. */
static int note_take(struct heap_cmd *h, const char *path, int fd, struct error *err)
{
	struct note n;
	int r = 0;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return error_set(err, -EBUSY, "another gotap has switched on memory profiling of "
				 "process %d (--switch-on): wait for its end",
				 h->look.proc.pid);
	if (!note_is_at(fd, path))
		return -EAGAIN;
	if (note_read(fd, &n))
		r = note_undo(h, &n, err);
	if (!r)
		unlink(path);
	return r;
}

int heap_switch_recover(struct heap_cmd *h, struct error *err)
{
	char path[SOCKET_PATH];
	struct error none;
	int fd, r;

	/* without a folder there is no note */
	if (note_path(h, path, &none))
		return 0;
	do {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			return 0;
		r = note_take(h, path, fd, err);
		close(fd);
	} while (r == -EAGAIN);
	return r;
}
