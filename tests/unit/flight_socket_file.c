// SPDX-License-Identifier: Apache-2.0
/* socket_file: which gotap takes the name of a socket that a killed gotap left, and when gotap removes the file. */
#define _GNU_SOURCE
#include "flight/socket_file.h"

#include <errno.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder_lock.h"
#include "flight/socket_address.h"
#include "unit.h"

enum { RECORDINGS = 6, ROUNDS = 20, BACKLOG = 16 };

static char folder[64], path[96];
static struct sockaddr_un address;
static socklen_t address_len;

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK(fd >= 0);
	return fd;
}

static void begin(void)
{
	strcpy(folder, "/tmp/gotap-socket.XXXXXX");
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/s", folder);
	address_len = socket_address(&address, path);
}

static void end(void)
{
	CHECK_EQ(rmdir(folder), 0);
}

static int bind_one(void)
{
	int fd = new_socket();

	CHECK_EQ(bind(fd, (struct sockaddr *)&address, address_len), 0);
	return fd;
}

/* Leaves the file of a socket that nobody listens at, as a killed gotap does. */
static void leave_one(void)
{
	close(bind_one());
}

static bool is_heard(void)
{
	int fd = new_socket();
	bool heard = !connect(fd, (struct sockaddr *)&address, address_len);

	close(fd);
	return heard;
}

static void one_that_was_left_is_replaced(void)
{
	struct socket_file f;
	struct error err = {0};
	int fd;

	begin();
	leave_one();
	CHECK(!is_heard());
	fd = new_socket();
	CHECK_EQ(socket_file_listen(&f, fd, &address, address_len, BACKLOG, &err), 0);
	CHECK(is_heard());
	socket_file_remove(&f);
	CHECK_EQ(access(path, F_OK), -1);
	close(fd);
	end();
}

struct recording {
	pthread_t thread;
	pthread_barrier_t *together;
	struct socket_file file;
	struct error err;
	int fd, r;
};

static void *try_to_listen(void *ctx)
{
	struct recording *r = ctx;

	r->fd = new_socket();
	if (r->together)
		pthread_barrier_wait(r->together);
	r->r = socket_file_listen(&r->file, r->fd, &address, address_len, BACKLOG, &r->err);
	return NULL;
}

/*
 * Between bind() and listen() a socket refuses connections, like a file that a killed gotap left. The lock tells them
 * apart.
 */
static void one_that_does_not_listen_yet_is_not_taken(void)
{
	struct recording r = {0};
	int fd, lock;

	begin();
	lock = folder_lock(path);
	CHECK(lock >= 0);
	fd = bind_one();
	CHECK_EQ(pthread_create(&r.thread, NULL, try_to_listen, &r), 0);
	usleep(50000);
	CHECK_EQ(listen(fd, BACKLOG), 0);
	close(lock);
	pthread_join(r.thread, NULL);
	CHECK_EQ(r.r, -EADDRINUSE);
	CHECK(strstr(r.err.text, "another program listens at /tmp/gotap-socket.") != NULL);
	CHECK(is_heard());
	close(fd);
	close(r.fd);
	unlink(path);
	end();
}

static unsigned int count_winners(struct recording all[RECORDINGS])
{
	unsigned int i, n = 0;

	for (i = 0; i < RECORDINGS; i++) {
		pthread_join(all[i].thread, NULL);
		n += !all[i].r;
		if (all[i].r)
			CHECK_EQ(all[i].r, -EADDRINUSE);
	}
	return n;
}

static void of_several_one_takes_it(void)
{
	struct recording all[RECORDINGS];
	pthread_barrier_t together;
	unsigned int i, round;

	begin();
	pthread_barrier_init(&together, NULL, RECORDINGS);
	for (round = 0; round < ROUNDS; round++) {
		leave_one();
		memset(all, 0, sizeof(all));
		for (i = 0; i < RECORDINGS; i++) {
			all[i].together = &together;
			CHECK_EQ(pthread_create(&all[i].thread, NULL, try_to_listen, &all[i]), 0);
		}
		CHECK_EQ(count_winners(all), 1);
		CHECK(is_heard());
		for (i = 0; i < RECORDINGS; i++) {
			close(all[i].fd);
			socket_file_remove(&all[i].file);
		}
		CHECK_EQ(access(path, F_OK), -1);
	}
	pthread_barrier_destroy(&together);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(one_that_was_left_is_replaced),
		UNIT(one_that_does_not_listen_yet_is_not_taken), UNIT(of_several_one_takes_it), {0} });
}
