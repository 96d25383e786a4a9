// SPDX-License-Identifier: Apache-2.0
/* serve: the addresses that it listens at, and which Host headers it takes. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/address.h"

static void only_loopback_is_loopback(void)
{
	static const struct { const char *text; int loopback; } rows[] = {
		{ "127.0.0.1:80", 1 }, { "127.9.9.9:0", 1 }, { "[::1]:65535", 1 }, { "unix:/x", 1 },
		{ "0.0.0.0:80", 0 }, { "10.0.0.1:80", 0 }, { "[::]:80", 0 }, { "[::ffff:127.0.0.1]:80", 0 },
		{ "128.0.0.1:80", 0 },
	};
	struct address a;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK(!address_parse(&a, rows[i].text, NULL));
		CHECK_EQ(a.is_loopback, rows[i].loopback);
	}
}

static void addresses_are_numbers_with_a_port(void)
{
	static const char *const wrong[] = {
		"", "80", ":80", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x",
		"127.1:80", "::1:80", "[::1]", "[::1]80", "[127.0.0.1]:80", "[::1:80", "unix:", "127.0.0.1:+80",
		"127.0.0.1:080000", "[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb]:1",
	};
	char path[200] = "unix:";
	struct address a;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(address_parse(&a, wrong[i], NULL) < 0);
	memset(path + 5, 'x', 108);
	CHECK(address_parse(&a, path, NULL) < 0);
	path[5 + 107] = 0;
	CHECK(!address_parse(&a, path, NULL) && a.is_unix);
}

enum { SERVERS = 6 };

struct starting {
	pthread_t thread;
	pthread_barrier_t *together;
	struct address at;
	struct error err;
	int fd;
};

static void *start_to_listen(void *ctx)
{
	struct starting *s = ctx;

	pthread_barrier_wait(s->together);
	s->fd = address_listen(&s->at, &s->err);
	return NULL;
}

/* Leaves the file of a socket that nobody listens at, as a killed server does. */
static void leave_a_socket(const struct address *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK_EQ(bind(fd, (const struct sockaddr *)&a->at, a->len), 0);
	close(fd);
}

static unsigned int start_at_once(const char *text)
{
	struct starting all[SERVERS] = {0};
	pthread_barrier_t together;
	unsigned int i, n = 0;

	pthread_barrier_init(&together, NULL, SERVERS);
	for (i = 0; i < SERVERS; i++) {
		all[i].together = &together;
		CHECK(!address_parse(&all[i].at, text, NULL));
		if (!i)
			leave_a_socket(&all[0].at);
		CHECK_EQ(pthread_create(&all[i].thread, NULL, start_to_listen, &all[i]), 0);
	}
	for (i = 0; i < SERVERS; i++) {
		pthread_join(all[i].thread, NULL);
		n += all[i].fd >= 0;
		if (all[i].fd < 0)
			CHECK(strstr(all[i].err.text, "a process listens on '/tmp/gotap-address.") != NULL);
	}
	for (i = 0; i < SERVERS; i++) {
		if (all[i].fd < 0)
			continue;
		close(all[i].fd);
		address_close(&all[i].at);
	}
	pthread_barrier_destroy(&together);
	return n;
}

static void of_several_servers_one_takes_a_socket_that_was_left(void)
{
	char folder[] = "/tmp/gotap-address.XXXXXX", text[64];
	mode_t mask = umask(022);	/* address_listen() changes it for a moment; several threads may leave it changed */
	int i;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(text, sizeof(text), "unix:%s/s", folder);
	for (i = 0; i < 20; i++)
		CHECK_EQ(start_at_once(text), 1);
	CHECK_EQ(rmdir(folder), 0);
	umask(mask);
}

static void hosts_are_numbers_or_localhost(void)
{
	static const char *const right[] = {
		"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:6060", "[::1]", "[::1]:6060", "192.168.1.2:80",
	};
	static const char *const wrong[] = {
		"", "evil.example", "evil.example:80", "localhost.evil.example", "localhost:", "localhost:x", "127.0.0.1.evil",
		"[evil]", "[::1]x", "127.0.0.1:80:80", "a@localhost", "localhost ", ":80", "[127.0.0.1]",
		"1111111111111111111111111111111111111111111111111111111111111111111",
	};
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		CHECK(address_is_host(right[i], NULL));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!address_is_host(wrong[i], NULL));
	CHECK(!address_is_host(NULL, NULL));
	CHECK(address_is_host("node7", "node7") && address_is_host("NODE7:6061", "a,node7"));
	CHECK(address_is_host("node7:1", "node7,b") && address_is_host("127.0.0.1", "node7"));
	CHECK(!address_is_host("node", "node7") && !address_is_host("node7", "a,node"));
	CHECK(!address_is_host("node7:x", "node7") && !address_is_host("", "") && !address_is_host(",", "a,b"));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(only_loopback_is_loopback),
		UNIT(addresses_are_numbers_with_a_port),
		UNIT(of_several_servers_one_takes_a_socket_that_was_left),
		UNIT(hosts_are_numbers_or_localhost),
		{0},
	});
}
