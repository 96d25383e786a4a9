// SPDX-License-Identifier: Apache-2.0
/* settle: which threads have arrived, by what a made /proc says of them. */
#define _GNU_SOURCE
#include "unit.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/settle.h"

enum { PID = 100, OTHER = 101, SHORT = 20 * 1000 * 1000 };
static const uint64_t LONG = 60ull * 1000 * 1000 * 1000;

static struct process proc = PROCESS_CLOSED;

/* Whole, whoever reads it meanwhile. */
static void write_file(pid_t tid, const char *name, const char *text)
{
	char path[PROCFS_PATH + 64], part[PROCFS_PATH + 80];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/task/%d/%s", proc.fs.dir, PID, tid, name);
	snprintf(part, sizeof(part), "%s.part", path);
	f = fopen(part, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
	CHECK(!rename(part, path));
}

static void set_run_time(pid_t tid, uint64_t ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu 0 1\n", (unsigned long long)ns);
	write_file(tid, "schedstat", text);
}

static void add_thread(pid_t tid, char state)
{
	char path[PROCFS_PATH + 64], text[128];

	snprintf(path, sizeof(path), "%s/%d/task/%d", proc.fs.dir, PID, tid);
	CHECK(!mkdir(path, 0700));
	snprintf(text, sizeof(text), "Name:\tx\nState:\t%c (x)\nTgid:\t%d\nNSpid:\t%d\n", state, PID, tid);
	write_file(tid, "status", text);
	set_run_time(tid, 5000000);
}

static void begin(char state)
{
	char path[PROCFS_PATH + 64];

	proc.pid = PID;
	snprintf(proc.fs.dir, sizeof(proc.fs.dir), "/tmp/gotap-settle.XXXXXX");
	CHECK(mkdtemp(proc.fs.dir) != NULL);
	snprintf(path, sizeof(path), "%s/%d", proc.fs.dir, PID);
	CHECK(!mkdir(path, 0700));
	strcat(path, "/task");
	CHECK(!mkdir(path, 0700));
	add_thread(PID, state);
}

static void end(void)
{
	char command[PROCFS_PATH];

	snprintf(command, sizeof(command), "rm -r '%s'", proc.fs.dir);
	CHECK(!system(command));
}

static void who_sleeps_in_a_syscall_has_arrived(void)
{
	begin('S');
	CHECK_EQ(settle(&proc, LONG, NULL), 0);
	end();
}

static void who_gets_no_cpu_has_not(void)
{
	begin('R');
	CHECK_EQ(settle(&proc, SHORT, NULL), 1);
	end();
}

static const char running[] = "running\n";
static const char outside[] = "-1 0xc000012f00 0x47a0ca\n";
static const char in_futex[] = "202 0x5d1a48 0x80 0x0 0x0 0x0 0x0 0xc000012f00 0x47a0ca\n";
static const char in_read[] = "0 0x3 0xc000100000 0x1000 0x0 0x0 0x0 0xc000012f00 0x47a0ca\n";
static const char gone[] = "-1 0x0 0x0\n";

/* How many of one thread have not arrived, whose files say that. */
static size_t unsettled(char state, const char *syscall)
{
	size_t left;

	begin(state);
	if (syscall)
		write_file(PID, "syscall", syscall);
	left = settle(&proc, SHORT, NULL);
	end();
	return left;
}

/* A file server that hangs, either freezer, a signal or a tracer: where the thread is counts. */
static void who_waits_in_a_syscall_has_arrived(void)
{
	static const char states[] = "SDTtRI";
	size_t i;

	for (i = 0; states[i]; i++) {
		CHECK_EQ(unsettled(states[i], in_futex), 0);
		CHECK_EQ(unsettled(states[i], in_read), 0);
	}
}

/* Just behind a probe, perhaps. The freezer of cgroup v2 shows S, that of v1 D. */
static void who_waits_elsewhere_has_not(void)
{
	static const char states[] = "SDTtR";
	size_t i;

	for (i = 0; states[i]; i++)
		CHECK_EQ(unsettled(states[i], outside), 1);
	CHECK_EQ(unsettled('R', running), 1);
	CHECK_EQ(unsettled('S', running), 1);	/* as it went to sleep between two reads */
}

/* In D it may be in a probe, waiting for the lock of its memory. */
static void without_that_file_the_state_counts(void)
{
	CHECK_EQ(unsettled('S', NULL), 0);
	CHECK_EQ(unsettled('I', NULL), 0);
	CHECK_EQ(unsettled('R', NULL), 1);
	CHECK_EQ(unsettled('D', NULL), 1);
	CHECK_EQ(unsettled('T', NULL), 1);
	CHECK_EQ(unsettled('t', NULL), 1);
	CHECK_EQ(unsettled('S', ""), 0);
}

/* The main thread after pthread_exit(). */
static void a_zombie_has_arrived(void)
{
	CHECK_EQ(unsettled('Z', gone), 0);
	CHECK_EQ(unsettled('X', NULL), 0);
}

static void each_thread_counts(void)
{
	begin('S');
	add_thread(OTHER, 'R');
	add_thread(OTHER + 1, 'R');
	CHECK_EQ(settle(&proc, SHORT, NULL), 2);
	end();
}

static void *tick_once(void *arg)
{
	usleep(3000);
	set_run_time(PID, 9000000);
	return NULL;
}

/* The kernel adds time that was used long before: one change proves nothing, however large. */
static void time_that_is_added_late_is_no_progress(void)
{
	pthread_t thread;

	begin('R');
	CHECK(!pthread_create(&thread, NULL, tick_once, NULL));
	CHECK_EQ(settle(&proc, 3 * SHORT, NULL), 1);
	pthread_join(thread, NULL);
	end();
}

static volatile int works;

static void *use_cpu(void *arg)
{
	uint64_t ns;

	for (ns = 5000000; works; ns += 30000) {
		set_run_time(PID, ns);
		usleep(300);
	}
	return NULL;
}

static void who_goes_on_arrives(void)
{
	pthread_t thread;

	begin('R');
	works = 1;
	CHECK(!pthread_create(&thread, NULL, use_cpu, NULL));
	CHECK_EQ(settle(&proc, LONG, NULL), 0);
	works = 0;
	pthread_join(thread, NULL);
	end();
}

static void who_has_gone_has_arrived(void)
{
	char path[PROCFS_PATH + 64];

	begin('S');
	add_thread(OTHER, 'R');
	snprintf(path, sizeof(path), "%s/%d/task/%d/schedstat", proc.fs.dir, PID, OTHER);
	CHECK(!unlink(path));
	CHECK_EQ(settle(&proc, LONG, NULL), 0);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(who_sleeps_in_a_syscall_has_arrived),
		UNIT(who_gets_no_cpu_has_not),
		UNIT(who_waits_in_a_syscall_has_arrived),
		UNIT(who_waits_elsewhere_has_not),
		UNIT(without_that_file_the_state_counts),
		UNIT(a_zombie_has_arrived),
		UNIT(each_thread_counts),
		UNIT(time_that_is_added_late_is_no_progress),
		UNIT(who_goes_on_arrives),
		UNIT(who_has_gone_has_arrived),
		{0} });
}
