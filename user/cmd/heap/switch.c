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
 * still has gotap's value: the program may have set another one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
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
	int ask, answer;		/* pipes: asks by its end; a byte is the answer */
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

static bool switch_write(struct process *p, uint64_t addr, uint64_t value)
{
	if (p->writable < 0)
		process_hold_memory(p);
	return p->writable >= 0 &&
	       pwrite(p->writable, &value, sizeof(value), (off_t)addr) == sizeof(value);
}

/* Returns whether the word is not gotap's any more: 0, another value, or gone with the process. */
static bool switch_take_back(struct process *p, uint64_t addr, uint64_t ours)
{
	uint64_t now = 0;

	if (p->writable < 0)
		process_hold_memory(p);
	if (p->writable < 0)
		return process_is_gone(p);
	if (pread(p->writable, &now, sizeof(now), (off_t)addr) != sizeof(now))
		return true;	/* the memory of this program is gone */
	return now != ours || switch_write(p, addr, 0);
}

/* In the process that holds the change. */
static _Noreturn void switch_hold(struct process *p, const char *path, int note,
				  const struct note *n, int asked, int answer)
{
	struct error err;
	char byte;

	prctl(PR_SET_NAME, "gotap-heap");
	process_hold_memory(p);
	privilege_reserve_no_files();
	byte = p->writable >= 0 && !privilege_keep(0, &err) &&
			       !privilege_filter(false, &err) &&
			       switch_write(p, n->addr, n->value) ?
		       'y' :
		       'n';
	if (byte == 'n')
		unlink(path);
	if (write(answer, &byte, 1) != 1 || byte == 'n') {
		switch_take_back(p, n->addr, n->value);
		_exit(1);
	}
	while (read(asked, &byte, 1) < 0 && errno == EINTR)
		;
	byte = switch_take_back(p, n->addr, n->value) ? 'y' : 'n';
	if (byte == 'y')
		unlink(path);
	(void)!write(answer, &byte, 1);
	close(note);
	_exit(0);
}

static void switch_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int switch_start(struct heap_cmd *h, const char *path, int note, const struct note *n,
			struct error *err)
{
	int ask[2] = { -1, -1 }, answer[2] = { -1, -1 };
	char byte = 'n';

	if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	switched.pid = fork_deaf();
	if (!switched.pid) {
		close(ask[1]);
		close(answer[0]);
		switch_hold(&h->look.proc, path, note, n, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	switched.ask = ask[1];
	switched.answer = answer[0];
	if (switched.pid > 0 && read(switched.answer, &byte, 1) == 1 && byte == 'y')
		return 0;
	heap_switch_off(h, err);
	return error_set(err, -EPERM,
			 "cannot write to the memory of process %d: run gotap as root or with "
			 "CAP_SYS_PTRACE and CAP_DAC_OVERRIDE",
			 h->look.proc.pid);
}

static int switch_note(const char *path, const struct note *n, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == EEXIST)
		return error_set(err, -EBUSY, "another gotap switches profiling on: '%s'", path);
	if (fd < 0)
		return error_set(err, -errno, "cannot make '%s', which would end the change if "
				 "gotap was killed: %s", path, strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB) && note_write(fd, n))
		return fd;
	unlink(path);
	close(fd);
	return error_set(err, -EIO, "cannot write '%s'", path);
}

int heap_switch_on(struct heap_cmd *h, struct error *err)
{
	struct note n = { h->vars.rate + h->look.proc.bias, h->o->rate, { 0 } };
	char path[SOCKET_PATH];
	uint64_t now;
	int r, note;

	memcpy(n.exe, h->look.proc.exe_id, sizeof(n.exe));
	if (!memory_read(&h->look.proc, n.addr, &now, sizeof(now)))
		return memory_error(&h->look.proc, NULL, "runtime.MemProfileRate", err);
	if (now)
		return error_set(err, -EALREADY,
				 "process %d has memory profiling on (one sample in %" PRIu64
				 " bytes): leave --switch-on out",
				 h->look.proc.pid, now);
	r = note_path(h, path, err);
	if (r)
		return r;
	note = switch_note(path, &n, err);
	if (note < 0)
		return note;
	r = switch_start(h, path, note, &n, err);
	close(note);		/* the other process has the lock */
	return r;
}

int heap_switch_off(struct heap_cmd *h, struct error *err)
{
	char byte = 'n';

	if (switched.pid <= 0)
		return 0;
	switch_close(&switched.ask);
	if (read(switched.answer, &byte, 1) != 1)
		byte = 'n';
	switch_close(&switched.answer);
	waitpid(switched.pid, NULL, 0);
	switched.pid = 0;
	if (byte == 'y')
		return 0;
	/* it was killed: its note is there */
	return heap_switch_recover(h, err);
}

/* --- what was left --- */

static int note_take(struct heap_cmd *h, const char *path, int fd, struct error *err)
{
	struct note n;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return error_set(err, -EBUSY, "another gotap has switched on memory profiling of "
				 "process %d (--switch-on): wait for its end",
				 h->look.proc.pid);
	if (note_read(fd, &n) && n.addr == h->vars.rate + h->look.proc.bias &&
	    !memcmp(n.exe, h->look.proc.exe_id, sizeof(n.exe)) &&
	    !switch_take_back(&h->look.proc, n.addr, n.value))
		return error_set(err, -EPERM,
				 "a gotap that was killed has left memory profiling of process %d "
				 "on, and it cannot be switched off: run gotap as root",
				 h->look.proc.pid);
	unlink(path);
	show_printf(stderr, "gotap: a gotap that was killed had left memory profiling of process "
			    "%d on: it is off again\n",
		    h->look.proc.pid);
	return 0;
}

int heap_switch_recover(struct heap_cmd *h, struct error *err)
{
	char path[SOCKET_PATH];
	struct error none;
	int fd, r;

	/* without a folder there is no note */
	if (note_path(h, path, &none))
		return 0;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return 0;
	r = note_take(h, path, fd, err);
	close(fd);
	return r;
}
