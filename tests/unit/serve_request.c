// SPDX-License-Identifier: Apache-2.0
/* serve: what requests, addresses, Host headers and tokens are taken, and who waits for a slot. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/address.h"
#include "serve/expiry.h"
#include "serve/listing.h"
#include "serve/peer.h"
#include "serve/request.h"
#include "serve/slots.h"
#include "serve/token.h"

enum { MAX_SECONDS = 60 };

/* "path?key=value&key=value"; the status of the refusal, 0: it is taken. */
static unsigned int ask_why(const char *line, struct request *r, char text[400])
{
	char *copy = strdup(line), *rest = copy, *path = strsep(&rest, "?"), *pair;
	struct refusal why = {0};
	bool ok = request_begin(r, path, &why);

	while (ok && rest && (pair = strsep(&rest, "&"))) {
		char *key = strsep(&pair, "=");

		ok = request_argument(r, key, pair, &why);
	}
	ok = ok && request_settle(r, MAX_SECONDS, &why);
	CHECK(ok == !why.status);
	CHECK(!strchr(why.text, '\n') && (ok || *why.text));
	free(copy);
	snprintf(text, 400, "%s", why.text);
	return why.status;
}

static unsigned int ask(const char *line, struct request *r)
{
	char text[400];

	return ask_why(line, r, text);
}

static void requests_are_those_of_net_http_pprof(void)
{
	struct request r;

	CHECK_EQ(ask("/debug/pprof/trace?pid=12", &r), 0);
	CHECK(r.endpoint->asked == ASKED_TRACE && r.pid == 12 && r.seconds == 1);
	CHECK_EQ(ask("/debug/pprof/trace?pid=12&seconds=0.25", &r), 0);
	CHECK(r.seconds == 0.25);
	CHECK_EQ(ask("/debug/pprof/profile?seconds=&pid=12", &r), 0);
	CHECK(r.seconds == 30);
	CHECK_EQ(ask("/debug/pprof/goroutine?name=caddy&debug=2", &r), 0);
	CHECK(!strcmp(r.name, "caddy") && r.debug == 2 && !r.pid);
	CHECK_EQ(ask("/debug/pprof/", &r), 0);
	CHECK(r.endpoint->asked == ASKED_INDEX);
}

static void the_first_of_several_arguments_counts(void)
{
	struct request r;

	CHECK_EQ(ask("/debug/pprof/profile?seconds=14&pid=3&seconds=15&pid=4&gc=1&debug=0&debug=1", &r), 0);
	CHECK(r.seconds == 14 && r.pid == 3 && !r.debug);
}

static void what_cannot_be_answered_is_refused(void)
{
	static const struct { const char *line; unsigned int status; } rows[] = {
		{ "/debug/pprof/trace", 400 }, { "/debug/pprof/trace?pid", 400 }, { "/debug/pprof/trace?pid=", 400 },
		{ "/debug/pprof/trace?pid=0", 400 }, { "/debug/pprof/trace?pid=-1", 400 },
		{ "/debug/pprof/trace?pid=1x", 400 }, { "/debug/pprof/trace?pid=9999999999", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=0", 400 }, { "/debug/pprof/trace?pid=1&seconds=1e9", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=nan", 400 }, { "/debug/pprof/trace?pid=1&seconds=0x10", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=-1", 400 }, { "/debug/pprof/trace?pid=1&seconds=61", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=1.", 0 }, { "/debug/pprof/trace?pid=1&seconds=.5", 400 },
		{ "/debug/pprof/trace?pid=1&seconds=99999999999999999999", 400 },
		{ "/debug/pprof/profile?pid=1&seconds=1.5", 400 }, { "/debug/pprof/block?pid=1&seconds=60", 0 },
		{ "/debug/pprof/goroutine?pid=1&seconds=5", 400 }, { "/debug/pprof/goroutine?pid=1&debug=3", 400 },
		{ "/debug/pprof/goroutine?pid=1&debug=11", 400 }, { "/debug/pprof/block?pid=1&debug=1", 400 },
		{ "/debug/pprof/trace?pid=1&name=x", 400 }, { "/debug/pprof/heap?pid=1", 404 },
		{ "/debug/pprof/nothing", 404 }, { "/debug/pprof/trace/", 404 }, { "/etc/passwd", 404 },
		{ "//", 404 }, { "", 404 }, { "/processes", 0 }, { "/debug/pprof/cmdline", 400 },
	};
	struct request r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int status = ask(rows[i].line, &r);

		if (status != rows[i].status)
			printf("# %s: %u\n", rows[i].line, status);
		CHECK_EQ(status, rows[i].status);
	}
}

/* The number is one, so the answer names the limit. A client writes 0.1 + 0.2 with 17 digits. */
static void a_number_of_many_digits_is_a_number(void)
{
	char line[700] = "/debug/pprof/trace?pid=1&seconds=99999999999999999999", text[400];
	struct request r;

	CHECK_EQ(ask_why(line, &r, text), 400);
	CHECK(strstr(text, "limit of 60 seconds"));
	memset(line + strlen(line), '9', 400);	/* infinite for a double */
	CHECK_EQ(ask_why(line, &r, text), 400);
	CHECK(strstr(text, "limit of 60 seconds"));
	CHECK_EQ(ask("/debug/pprof/trace?pid=1&seconds=0.30000000000000004", &r), 0);
	CHECK(r.seconds == 0.1 + 0.2);
}

static void a_name_that_is_too_long_is_refused(void)
{
	char line[400] = "/debug/pprof/trace?name=";
	struct request r;

	memset(line + strlen(line), 'x', 255);
	CHECK_EQ(ask(line, &r), 0);
	CHECK_EQ(strlen(r.name), 255);
	strcat(line, "x");
	CHECK_EQ(ask(line, &r), 400);
}

/* --- addresses --- */

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

/* The name of a socket that a server left which was killed. */
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
	mode_t mask = umask(022);	/* which threads that listen at once can leave changed */
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
		CHECK(address_is_host(right[i]));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!address_is_host(wrong[i]));
	CHECK(!address_is_host(NULL));
}

/* --- tokens --- */

static void tokens_come_in_two_headers(void)
{
	static const struct token t = { "0123456789abcdef" };
	static const struct token none = { "" };

	CHECK(token_matches(&t, "Bearer 0123456789abcdef"));
	CHECK(token_matches(&t, "bearer 0123456789abcdef"));
	CHECK(token_matches(&t, "Basic Z290YXA6MDEyMzQ1Njc4OWFiY2RlZg=="));	/* gotap:0123456789abcdef */
	CHECK(token_matches(&t, "Basic OjAxMjM0NTY3ODlhYmNkZWY="));		/* :0123456789abcdef */
	CHECK(!token_matches(&t, NULL));
	CHECK(!token_matches(&t, ""));
	CHECK(!token_matches(&t, "Bearer "));
	CHECK(!token_matches(&t, "Bearer 0123456789abcde"));
	CHECK(!token_matches(&t, "Bearer 0123456789abcdef0"));
	CHECK(!token_matches(&t, "Bearer 0123456789abcdeF"));
	CHECK(!token_matches(&t, "0123456789abcdef"));
	CHECK(!token_matches(&t, "Digest 0123456789abcdef"));
	CHECK(!token_matches(&t, "Basic MDEyMzQ1Njc4OWFiY2RlZg=="));		/* 0123456789abcdef */
	CHECK(!token_matches(&t, "Basic Z290YXA6MDEyMzQ1Njc4OWFiY2RlZg==x"));
	CHECK(!token_matches(&t, "Basic !"));
	CHECK(!token_matches(&t, "Basic "));
	CHECK(token_matches(&none, NULL));
}

static void token_of(const char *text, mode_t mode, int right)
{
	char path[] = "/tmp/gotap-token.XXXXXX";
	struct error err = {0};
	struct token t;
	int fd = mkstemp(path);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !fchmod(fd, mode));
	close(fd);
	CHECK_EQ(!token_read(&t, path, &err), right);
	CHECK(right || strstr(err.text, path));
	if (right)
		CHECK(!strcmp(t.text, "0123456789abcdef"));
	unlink(path);
}

static void a_token_is_a_line_of_a_private_file(void)
{
	struct token t;

	token_of("0123456789abcdef\nmore\n", 0600, 1);
	token_of("0123456789abcdef", 0400, 1);
	token_of("0123456789abcdef\n", 0640, 0);
	token_of("0123456789abcdef\n", 0604, 0);
	token_of("0123456789abcde\n", 0600, 0);
	token_of("0123456789 abcdef\n", 0600, 0);
	token_of("0123456789abcdef\r\n", 0600, 0);
	token_of("", 0600, 0);
	CHECK(token_read(&t, "/", NULL) < 0);
	CHECK(token_read(&t, "/dev/null", NULL) < 0);
	CHECK(token_read(&t, "/nothing/there", NULL) < 0);
}

/* --- who asks --- */

enum { SOMEBODY = 65533 };

/* A process of that user, if we are root, else of ours; @dumpable: as after an exec without new rights. */
static pid_t start_process(bool dumpable)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		if (!getuid() && setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
			_exit(1);
		prctl(PR_SET_DUMPABLE, dumpable);
		while (write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	close(ready[0]), close(ready[1]);
	return pid;
}

static bool may_ask(pid_t pid, struct peer who)
{
	struct procfs fs;
	struct subject s;
	bool may;

	CHECK(!procfs_open(&fs, NULL, NULL) && subject_open(&s, &fs, pid));
	CHECK(subject_state(&s) == SUBJECT_THERE);
	may = subject_allowed(&s, &who);
	subject_close(&s);
	return may;
}

static void a_user_may_ask_about_his_own_process(void)
{
	uid_t uid = getuid() ? getuid() : SOMEBODY;
	pid_t own = start_process(true), hidden = start_process(false);
	struct procfs fs;
	struct subject s;

	CHECK(may_ask(own, (struct peer){ .uid = uid }) && may_ask(own, (struct peer){ .all = true }));
	CHECK(!may_ask(own, (struct peer){ .uid = uid + 1 }));
	CHECK(!may_ask(hidden, (struct peer){ .uid = uid }) && may_ask(hidden, (struct peer){ .all = true }));
	CHECK(!may_ask(1, (struct peer){ .uid = uid }));
	CHECK(!procfs_open(&fs, NULL, NULL) && !subject_open(&s, &fs, 1 << 30));
	CHECK(subject_open(&s, &fs, own));
	kill(own, SIGKILL), kill(hidden, SIGKILL);
	waitpid(own, NULL, 0), waitpid(hidden, NULL, 0);
	CHECK(subject_state(&s) == SUBJECT_GONE && !subject_allowed(&s, &(struct peer){ .uid = uid }));
	subject_close(&s);
}

/* --- slots --- */

static const struct peer root = { .all = true };
static struct slots slots;
static int taken_order[2], taken;

static void *take_one(void *arg)
{
	struct patience p = { .client = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };

	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_TAKEN);
	taken_order[taken++] = *(int *)arg;
	slots_give(&slots, &root);
	return NULL;
}

static unsigned int waiting(void)
{
	unsigned int n;

	pthread_mutex_lock(&slots.lock);
	n = slots.waiting;
	pthread_mutex_unlock(&slots.lock);
	return n;
}

static void who_waits_first_is_first(void)
{
	struct patience p = { .client = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };
	int number[] = { 1, 2 };
	pthread_t thread[2];
	unsigned int i;

	slots_init(&slots, 1, 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	for (i = 0; i < 2; i++) {
		pthread_create(&thread[i], NULL, take_one, &number[i]);
		while (waiting() != i + 1)
			usleep(1000);
	}
	CHECK(slots_take(&slots, &root, &p, 1000) == SLOTS_FULL);
	slots_give(&slots, &root);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK(taken == 2 && taken_order[0] == 1 && taken_order[1] == 2);
	CHECK(slots.free == 1 && !slots.waiting && !slots.first);
}

static void who_waits_is_not_forgotten(void)
{
	struct patience p = { .client = -1, .stop = eventfd(0, 0), .deadline = now_ns() + 60000000000ULL };
	int ends[2];

	slots_init(&slots, 1, 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	CHECK(slots_take(&slots, &root, &p, 10) == SLOTS_LATE);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	p.client = ends[0];
	close(ends[1]);
	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_CLIENT);
	p.client = -1;
	eventfd_write(p.stop, 1);
	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_STOP);
	CHECK(!slots.free && !slots.waiting && !slots.first);
	slots_give(&slots, &root);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	close(ends[0]);
	close(p.stop);
}

struct asker {
	struct peer who;
	int number;
};

static void *take_for(void *arg)
{
	struct patience p = { .client = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };
	const struct asker *a = arg;

	CHECK(slots_take(&slots, &a->who, &p, 60000) == SLOTS_TAKEN);
	taken_order[taken++] = a->number;
	return NULL;
}

/* Of two slots and four places in the queue one user has half; the others come in between. */
static void one_user_does_not_keep_all(void)
{
	struct patience p = { .client = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };
	struct asker greedy[2] = { { { .uid = 7 }, 1 }, { { .uid = 7 }, 2 } };
	const struct peer other = { .uid = 8 };
	pthread_t thread[2];
	unsigned int i;

	taken = 0;
	slots_init(&slots, 2, 4);
	CHECK(slots_take(&slots, &greedy[0].who, &p, 0) == SLOTS_TAKEN);
	for (i = 0; i < 2; i++) {
		pthread_create(&thread[i], NULL, take_for, &greedy[i]);
		while (waiting() != i + 1)
			usleep(1000);
	}
	CHECK(slots.free == 1);
	CHECK(slots_take(&slots, &greedy[0].who, &p, 1000) == SLOTS_SHARE);
	CHECK(slots_take(&slots, &other, &p, 0) == SLOTS_TAKEN);
	slots_give(&slots, &other);
	CHECK(slots.free == 1 && slots.waiting == 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	slots_give(&slots, &greedy[0].who);
	pthread_join(thread[0], NULL);
	CHECK(taken == 1 && taken_order[0] == 1 && slots.waiting == 1);
	slots_give(&slots, &root);
	CHECK(slots.free == 1 && slots.waiting == 1);
	slots_give(&slots, &greedy[0].who);
	pthread_join(thread[1], NULL);
	CHECK(taken == 2 && taken_order[1] == 2 && !slots.waiting);
	slots_give(&slots, &greedy[1].who);
	CHECK(slots.free == 2 && !slots.has.users.len && !slots.waits.users.len);
	slots_free(&slots);
}

/* --- connections --- */

static bool is_shut(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

static void a_connection_ends_with_its_time(void)
{
	struct expiry_entry *x[2];
	struct expiry e;
	int a[2], b[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, a) && !socketpair(AF_UNIX, SOCK_STREAM, 0, b));
	expiry_init(&e, 1);
	x[0] = expiry_add(&e, a[0], &root, 3600000000000ULL);
	x[1] = expiry_add(&e, b[0], &root, 3600000000000ULL);
	expiry_run(&e);
	CHECK(!is_shut(a[1]) && !is_shut(b[1]));
	expiry_set(&e, x[0], 0);
	expiry_run(&e);
	CHECK(is_shut(a[1]) && !is_shut(b[1]));
	expiry_set(&e, x[1], 0);
	expiry_remove(&e, x[1]);
	expiry_run(&e);
	CHECK(!is_shut(b[1]));
	expiry_remove(&e, x[0]);
	CHECK(!e.first);
	close(a[0]), close(a[1]), close(b[0]), close(b[1]);
}

static void one_user_does_not_keep_all_connections(void)
{
	const struct peer greedy = { .uid = 7 }, other = { .uid = 8 };
	struct expiry_entry *x[4];
	struct expiry e;
	int fd[4][2], i;

	for (i = 0; i < 4; i++)
		CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd[i]));
	expiry_init(&e, 1);
	for (i = 0; i < 2; i++)
		x[i] = expiry_add(&e, fd[i][0], &greedy, 3600000000000ULL);
	x[2] = expiry_add(&e, fd[2][0], &other, 3600000000000ULL);
	CHECK(!is_shut(fd[0][1]) && is_shut(fd[1][1]) && !is_shut(fd[2][1]));
	expiry_remove(&e, x[1]);
	expiry_remove(&e, x[0]);
	x[3] = expiry_add(&e, fd[3][0], &greedy, 3600000000000ULL);
	CHECK(!is_shut(fd[3][1]));
	expiry_remove(&e, x[2]);
	expiry_remove(&e, x[3]);
	CHECK(!e.first && !e.shares.users.len);
	expiry_free(&e);
	for (i = 0; i < 4; i++)
		close(fd[i][0]), close(fd[i][1]);
}

/* --- lists --- */

static void a_command_that_is_cut_says_so(void)
{
	static const char json[] =
		"{\"processes\":[{\"pid\":7,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"a b\",\"command_cut\":true},"
		"{\"pid\":8,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"c d\",\"command_cut\":false},"
		"{\"pid\":9,\"go\":\"go1.27\",\"user\":\"u\",\"command\":\"\",\"exe\":\"/bin/e\",\"command_cut\":false}]}";
	const struct peer sees_all = { .all = true };
	struct buf text = {0}, page = {0};
	struct listing l;

	CHECK(listing_parse(&l, json, sizeof(json) - 1, NULL, &sees_all));
	listing_text(&l, &text);
	listing_page(&l, &page);
	buf_add_byte(&text, 0);
	buf_add_byte(&page, 0);
	CHECK(strstr((char *)text.data, " a b ...\n") != NULL);
	CHECK(strstr((char *)text.data, " c d\n") != NULL);
	CHECK(strstr((char *)text.data, " /bin/e\n") != NULL);
	CHECK(strstr((char *)page.data, "<td>a b ...</td>") != NULL);
	CHECK(strstr((char *)page.data, "<td>c d</td>") != NULL);
	buf_free(&text);
	buf_free(&page);
	listing_free(&l);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(requests_are_those_of_net_http_pprof),
		UNIT(the_first_of_several_arguments_counts),
		UNIT(what_cannot_be_answered_is_refused),
		UNIT(a_number_of_many_digits_is_a_number),
		UNIT(a_name_that_is_too_long_is_refused),
		UNIT(only_loopback_is_loopback),
		UNIT(addresses_are_numbers_with_a_port),
		UNIT(of_several_servers_one_takes_a_socket_that_was_left),
		UNIT(hosts_are_numbers_or_localhost),
		UNIT(tokens_come_in_two_headers),
		UNIT(a_token_is_a_line_of_a_private_file),
		UNIT(a_user_may_ask_about_his_own_process),
		UNIT(who_waits_first_is_first),
		UNIT(who_waits_is_not_forgotten),
		UNIT(one_user_does_not_keep_all),
		UNIT(a_connection_ends_with_its_time),
		UNIT(one_user_does_not_keep_all_connections),
		UNIT(a_command_that_is_cut_says_so),
		{0},
	});
}
