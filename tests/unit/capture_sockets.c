// SPDX-License-Identifier: Apache-2.0
/* sockets: the descriptors of this process that are sockets, with their addresses; each change makes one record. */
#define _GNU_SOURCE
#include "unit.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/sockets.h"
#include "record.h"

static struct sockets sockets;
static struct buf records;

static void look(void)
{
	records.len = 0;
	CHECK(sockets_look(&sockets, true, &records));
}

/* The record of descriptor @fd in the last look; NULL: none. */
static const struct rec_socket *said(int fd)
{
	const struct rec_socket *found = NULL;
	size_t at, n;

	for (at = 0; at < records.len; at += n) {
		const struct rec *r = (const struct rec *)(records.data + at);

		n = record_size(r, records.len - at);
		CHECK(n > 0);
		if (!n)
			break;
		if (r->kind == REC_SOCKET && (uint32_t)r->id == (uint32_t)fd) {
			CHECK(!found);
			found = (const struct rec_socket *)r;
		}
	}
	return found;
}

static uint16_t port_of(int fd, int (*name)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in a = {0};
	socklen_t n = sizeof(a);

	CHECK_EQ(name(fd, (struct sockaddr *)&a, &n), 0);
	return ntohs(a.sin_port);
}

static int bound(int type)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, type, 0);

	CHECK_EQ(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void check_pair(int fd)
{
	static const uint8_t loopback[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	const struct rec_socket *r = said(fd);

	CHECK(r && r->r.sub == REC_TCP && r->r.ptr);
	if (!r)
		return;
	CHECK_EQ((uint16_t)(r->r.id >> 32), port_of(fd, getsockname));
	CHECK_EQ((uint16_t)(r->r.id >> 48), port_of(fd, getpeername));
	CHECK(!memcmp(r->local, loopback, 16) && !memcmp(r->remote, loopback, 16));
}

static void addresses_are_those_of_the_socket(void)
{
	int listener = bound(SOCK_STREAM), client = socket(AF_INET, SOCK_STREAM, 0), server, datagrams = bound(SOCK_DGRAM);
	int pair[2];
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	CHECK_EQ(listen(listener, 1), 0);
	a.sin_port = htons(port_of(listener, getsockname));
	CHECK_EQ(connect(client, (struct sockaddr *)&a, sizeof(a)), 0);
	server = accept(listener, NULL, NULL);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	sockets_init(&sockets, "/proc/self");
	look();
	check_pair(client);
	check_pair(server);
	CHECK(said(listener) && said(listener)->r.id >> 48 == 0);
	CHECK(said(datagrams) && said(datagrams)->r.sub == REC_UDP);
	CHECK(said(pair[0]) && !said(pair[0])->r.ptr);	/* it has no addresses */
	look();		/* nothing has changed */
	CHECK(!said(client) && !said(server) && !said(listener) && !said(pair[0]));
	CHECK_EQ(records.len, sizeof(struct rec_long));
	dup2(datagrams, server);
	close(client);
	look();
	CHECK(said(server) && said(server)->r.sub == REC_UDP);
	CHECK(said(client) && !said(client)->r.ptr);
	look();
	CHECK(!said(server) && !said(client));
	sockets_free(&sockets);
	close(listener);
	close(server);
	close(datagrams);
	close(pair[0]);
	close(pair[1]);
}

/* A socket without addresses gets some when it is connected: it is looked up again. */
static void a_socket_that_is_connected_later_gets_its_addresses(void)
{
	int listener = bound(SOCK_STREAM), client = socket(AF_INET, SOCK_STREAM, 0), i;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	CHECK_EQ(listen(listener, 1), 0);
	sockets_init(&sockets, "/proc/self");
	look();
	CHECK(said(client) && !said(client)->r.ptr);
	a.sin_port = htons(port_of(listener, getsockname));
	CHECK_EQ(connect(client, (struct sockaddr *)&a, sizeof(a)), 0);
	for (i = 0; i < 4 && !(i && said(client)); i++)
		look();
	check_pair(client);
	sockets_free(&sockets);
	close(listener);
	close(client);
}

static void looks_are_rare(void)
{
	sockets_init(&sockets, "/proc/self");
	records.len = 0;
	CHECK(sockets_look(&sockets, false, &records));
	CHECK(!sockets_look(&sockets, false, &records));
	sockets_free(&sockets);
}

static void a_process_that_is_gone_has_none(void)
{
	sockets_init(&sockets, "/proc/self/no-such-process");
	look();
	CHECK_EQ(records.len, sizeof(struct rec_long));
	sockets_free(&sockets);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(addresses_are_those_of_the_socket),
		UNIT(a_socket_that_is_connected_later_gets_its_addresses),
		UNIT(looks_are_rare),
		UNIT(a_process_that_is_gone_has_none),
		{0} });
}
