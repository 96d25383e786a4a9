// SPDX-License-Identifier: Apache-2.0
/*
 * serve: the requests that the process that parses HTTP sends to the process that has the rights. A
 * request has one size, fields within their limits, and one descriptor, the client's.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/address.h"
#include "serve/ask.h"
#include "serve/channel.h"

static struct ask good(void)
{
	struct request r = { .endpoint = endpoints, .pid = 7, .debug = REQUEST_NOT_GIVEN };
	struct ask a;

	while (r.endpoint->asked != ASKED_TRACE)
		r.endpoint++;
	r.seconds = 0.25;
	ask_encode(&a, &r, true, "Bearer 0123456789abcdef");
	return a;
}

static void a_request_arrives_as_it_was(void)
{
	struct ask a = good();
	struct request r;

	CHECK(ask_is_valid(&a) && ask_decode(&a, &r));
	CHECK_EQ(r.endpoint->asked, ASKED_TRACE);
	CHECK(r.pid == 7 && r.debug == REQUEST_NOT_GIVEN && r.seconds == 0.25 && !*r.name);
	CHECK(a.head == 1 && !strcmp(a.authorization, "Bearer 0123456789abcdef"));
	ask_encode(&a, NULL, false, NULL);
	CHECK(ask_is_valid(&a) && !ask_decode(&a, &r) && !*a.authorization);
}

/* A time that is allowed is the same number on both sides, and the shortest one is not 0. */
static void times_arrive_as_they_were(void)
{
	static const double times[] = { 1e-10, 0.1, 0.3, 1.5, 5, 30, 299.999999999, 300, 86400 };
	struct request r = { .endpoint = endpoints, .debug = REQUEST_NOT_GIVEN }, back;
	struct ask a;
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		r.seconds = times[i];
		ask_encode(&a, &r, false, NULL);
		CHECK(ask_is_valid(&a) && ask_decode(&a, &back));
		CHECK(back.seconds > 0 && back.seconds <= (times[i] > 1e-9 ? times[i] : 1e-9));
		CHECK(times[i] < 1e-9 || times[i] - back.seconds < 1e-9);
	}
}

static void a_header_that_is_too_long_for_a_token_is_none(void)
{
	char text[2 * ASK_AUTHORIZATION];
	struct ask a;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	ask_encode(&a, NULL, false, text);
	CHECK(ask_is_valid(&a) && !*a.authorization);
}

static void each_field_has_its_limits(void)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} forged[] = {
#define FIELD(field, value) \
	{ offsetof(struct ask, field), sizeof(((struct ask *)0)->field), (uint64_t)(value) }
		FIELD(endpoint, 1000),	  FIELD(endpoint, -1),	 FIELD(pid, -1),
		FIELD(pid, 1000000000),	  FIELD(debug, 3),	 FIELD(debug, -2),
		FIELD(head, 2),		  FIELD(ns, UINT64_MAX), FIELD(ns, 1ULL << 60),
#undef FIELD
	};
	struct ask a;
	size_t i;

	for (i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		a = good();
		memcpy((char *)&a + forged[i].at, &forged[i].value, forged[i].size);
		CHECK(!ask_is_valid(&a));
	}
	a = good();
	memset(a.name, 'x', sizeof(a.name));
	CHECK(!ask_is_valid(&a));
	a = good();
	memset(a.authorization, 'x', sizeof(a.authorization));
	CHECK(!ask_is_valid(&a));
}

/* --- packets --- */

static int open_files(void)
{
	int n = 0, fd;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void a_packet_has_one_size_and_brings_its_descriptor(void)
{
	char data[8] = "1234567", back[8];
	int ends[2], pipes[2], fd;

	CHECK_EQ(channel_open(ends), 0);
	CHECK_EQ(pipe(pipes), 0);
	CHECK_EQ(channel_send(ends[0], data, sizeof(data), pipes[1]), 0);
	CHECK_EQ(channel_receive(ends[1], back, sizeof(back), &fd), 1);
	CHECK(!strcmp(data, back) && fd >= 0);
	CHECK_EQ(write(fd, "x", 1), 1);
	CHECK(read(pipes[0], back, sizeof(back)) == 1 && back[0] == 'x');
	close(fd);
	CHECK_EQ(channel_send(ends[0], data, sizeof(data), -1), 0);
	CHECK_EQ(channel_receive(ends[1], back, sizeof(back), &fd), 1);
	CHECK_EQ(fd, -1);
	close(ends[0]);
	CHECK_EQ(channel_receive(ends[1], back, sizeof(back), &fd), 0);
	close(ends[1]), close(pipes[0]), close(pipes[1]);
}

static void another_size_is_refused_and_leaves_no_descriptor(void)
{
	char data[9] = {0}, back[8];
	int ends[2], fd, n;

	CHECK_EQ(channel_open(ends), 0);
	n = open_files();
	for (size_t size = 1; size <= sizeof(data); size++) {
		if (size == sizeof(back))
			continue;
		CHECK_EQ(channel_send(ends[0], data, size, ends[0]), 0);
		CHECK_EQ(channel_receive(ends[1], back, sizeof(back), &fd), -EBADMSG);
		CHECK_EQ(fd, -1);
	}
	CHECK_EQ(open_files(), n);
	close(ends[0]), close(ends[1]);
}

/* More of them than the receiver has room for, too. */
static void several_descriptors_are_refused_and_closed(void)
{
	enum { MANY = 5 };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(MANY * sizeof(int))];
	} control;
	char data[8] = {0};
	struct iovec part = { data, sizeof(data) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control };
	int ends[2], fd, n, i, count;

	CHECK_EQ(channel_open(ends), 0);
	n = open_files();
	for (count = 2; count <= MANY; count++) {
		memset(&control, 0, sizeof(control));
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(count * sizeof(int)) };
		for (i = 0; i < count; i++)
			memcpy(CMSG_DATA(&control.head) + i * sizeof(int), &ends[0], sizeof(int));
		m.msg_controllen = CMSG_SPACE(count * sizeof(int));
		CHECK_EQ(sendmsg(ends[0], &m, 0), sizeof(data));
		CHECK_EQ(channel_receive(ends[1], data, sizeof(data), &fd), -EBADMSG);
		CHECK(fd == -1 && open_files() == n);
	}
	close(ends[0]), close(ends[1]);
}

/* --- the client's socket --- */

static int connect_to(const struct address *a)
{
	int fd = socket(a->at.ss_family, SOCK_STREAM, 0);

	CHECK_EQ(connect(fd, (const struct sockaddr *)&a->at, a->len), 0);
	return fd;
}

static void is_client_only_if_accepted(const char *text, const char *other_text)
{
	struct address a, other;
	struct error err;
	int listener, elsewhere, ours, theirs, stranger, pair[2];

	CHECK_EQ(address_parse(&a, text, &err) || address_parse(&other, other_text, &err), 0);
	listener = address_listen(&a, &err);
	elsewhere = address_listen(&other, &err);
	address_settle(&a, listener);
	address_settle(&other, elsewhere);
	theirs = connect_to(&a);
	ours = accept(listener, NULL, NULL);
	connect_to(&other);
	stranger = accept(elsewhere, NULL, NULL);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	CHECK(address_has_client(&a, ours));
	CHECK(!address_has_client(&a, listener) && !address_has_client(&a, stranger));
	CHECK(!address_has_client(&a, theirs) && !address_has_client(&a, pair[0]));
	CHECK(!address_has_client(&a, STDERR_FILENO) && !address_has_client(&a, -1));
	close(theirs), close(ours), close(stranger), close(listener), close(elsewhere);
	address_close(&a);
	address_close(&other);
}

static void a_client_is_a_connection_that_was_accepted_at_the_address(void)
{
	char folder[] = "/tmp/gotap-ask.XXXXXX", text[2][64];

	is_client_only_if_accepted("127.0.0.1:0", "127.0.0.1:0");
	is_client_only_if_accepted("[::1]:0", "127.0.0.1:0");
	CHECK(mkdtemp(folder) != NULL);
	snprintf(text[0], sizeof(text[0]), "unix:%s/a", folder);
	snprintf(text[1], sizeof(text[1]), "unix:%s/b", folder);
	is_client_only_if_accepted(text[0], text[1]);
	is_client_only_if_accepted(text[0], "127.0.0.1:0");
	CHECK_EQ(rmdir(folder), 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_request_arrives_as_it_was),
		UNIT(times_arrive_as_they_were),
		UNIT(a_header_that_is_too_long_for_a_token_is_none),
		UNIT(each_field_has_its_limits),
		UNIT(a_packet_has_one_size_and_brings_its_descriptor),
		UNIT(another_size_is_refused_and_leaves_no_descriptor),
		UNIT(several_descriptors_are_refused_and_closed),
		UNIT(a_client_is_a_connection_that_was_accepted_at_the_address),
		{0},
	});
}
