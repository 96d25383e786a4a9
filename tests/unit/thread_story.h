/* SPDX-License-Identifier: Apache-2.0 */
/* thread_story: a file of threads (threads/file.h) with the records of the scheduler that a test puts into it. */
#ifndef GOTAP_TESTS_THREAD_STORY_H
#define GOTAP_TESTS_THREAD_STORY_H

#include "unit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads/file.h"

struct thread_story {
	struct threads *threads;
	struct threads_writer *writer;
	int fd;			/* the test closes it */
	char path[32];
};

/* The recorded process is 77. */
static inline void thread_story_begin_at(struct thread_story *s, uint64_t time)
{
	struct rec r = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .time = time };
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct error err;

	info->pid = 77;
	s->fd = memfd_create("threads", 0);
	snprintf(s->path, sizeof(s->path), "/dev/fd/%d", s->fd);
	s->threads = threads_new();
	CHECK(!threads_writer_new(&s->writer, s->threads, s->fd, s->path, info, &err));
	free(info);
	threads_record(s->threads, &r);
}

static inline void thread_story_begin(struct thread_story *s)
{
	thread_story_begin_at(s, 900);
}

static inline void thread_off(struct thread_story *s, uint32_t tid, uint64_t time, enum rec_off why, int64_t syscall)
{
	struct rec_thread r = { .r = { .kind = REC_THREAD_OFF, .sub = (uint8_t)why, .time = time, .tid = tid, .flags = (uint16_t)tid,
				       .id = 4242 }, .arg = (uint64_t)syscall, .comm = "other" };

	threads_record(s->threads, &r.r);
}

/* Task @comm of process @pid takes the CPU of thread @tid. */
static inline void thread_off_by(struct thread_story *s, uint32_t tid, uint64_t time, uint32_t pid, const char *comm)
{
	struct rec_thread r = { .r = { .kind = REC_THREAD_OFF, .sub = REC_OFF_RUNNABLE, .time = time, .tid = tid, .flags = (uint16_t)tid,
				       .id = (uint64_t)pid << 32 | pid }, .arg = UINT64_MAX };

	strncpy(r.comm, comm, sizeof(r.comm) - 1);
	threads_record(s->threads, &r.r);
}

/* @throttled: how many ns of its wait for a CPU the thread was throttled. */
static inline void thread_on(struct thread_story *s, uint32_t tid, uint64_t time, uint64_t throttled)
{
	struct rec r = { .kind = REC_THREAD_ON, .time = time, .tid = tid, .flags = (uint16_t)tid, .ptr = throttled };

	threads_record(s->threads, &r);
}

static inline void thread_wake(struct thread_story *s, uint32_t tid, uint64_t time)
{
	struct rec_thread r = { .r = { .kind = REC_THREAD_WAKE, .time = time, .tid = tid, .id = 4243 }, .comm = "waker" };

	threads_record(s->threads, &r.r);
}

static inline void thread_story_end(struct thread_story *s, uint64_t time)
{
	struct error err;

	threads_finish(s->threads, time);
	CHECK(!threads_writer_finish(s->writer, &err));
	threads_writer_free(s->writer);
	threads_free(s->threads);
}

#endif
