// SPDX-License-Identifier: Apache-2.0
/* api: what gotap_write() refuses, so that a mistake is an error and not a trace that nobody reads. */
#include "unit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "gotap/writer.h"

static struct gotap_writer *open_writer(int *fd, int version)
{
	struct gotap_write_options options = { .size = sizeof(options), .version = version };
	struct gotap_writer *w;

	*fd = open("/dev/null", O_WRONLY);
	CHECK_EQ(gotap_writer_new(&w, *fd, &options, NULL), 0);
	CHECK_EQ(gotap_generation(w, NULL), 0);
	return w;
}

static void close_writer(struct gotap_writer *w, int fd)
{
	gotap_writer_free(w);
	close(fd);
}

#define WRITE(w, kind, ...) gotap_write(w, 1, 1, kind, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, \
					(uint64_t[]){ __VA_ARGS__ })

/* A clock snapshot has a time like a thread's events, but the library writes it itself. */
static void kinds_are_those_of_threads(void)
{
	int fd, kind, taken = 0;
	struct gotap_writer *w = open_writer(&fd, 26);
	uint64_t args[5] = { 1, 1, 1, 1, 1 };
	struct gotap_frame frame = { .pc = 1, .line = 1, .func = "f", .func_len = 1 };

	CHECK_EQ(gotap_write_string(w, "x", 1), 1);
	CHECK_EQ(gotap_write_stack(w, &frame, sizeof(frame), 1), 1);
	for (kind = 0; kind < 300; kind++) {
		int n = gotap_kind_nargs((unsigned int)kind);
		bool is_taken = !gotap_write(w, 1, 1, (unsigned int)kind, n < 0 ? 4 : (unsigned int)n,
					     args);

		CHECK_EQ(is_taken, n >= 0);
		CHECK(!is_taken || gotap_kind_name((unsigned int)kind));
		taken += is_taken;
	}
	CHECK_EQ(gotap_kind_nargs(51), -22);
	CHECK(!gotap_kind_name(51));
	CHECK(taken > 45);
	close_writer(w, fd);
}

static void a_status_is_one_of_its_enum(void)
{
	int fd;
	struct gotap_writer *w = open_writer(&fd, 25);
	uint64_t status;

	for (status = 0; status < 20; status++) {
		CHECK_EQ(WRITE(w, GOTAP_PROC_STATUS, 0, status), status && status < 5 ? 0 : -22);
		CHECK_EQ(WRITE(w, GOTAP_GO_STATUS, 1, 7, status), status && status < 5 ? 0 : -22);
		CHECK_EQ(WRITE(w, GOTAP_GO_STATUS_STACK, 1, 7, status, 0),
			 status && status < 5 ? 0 : -22);
	}
	WRITE(w, GOTAP_GO_STATUS, 1, 7, GOTAP_GSTATE_SYSCALL);
	CHECK_STR(gotap_writer_error(w)->text, "5 is no status of a goroutine, use enum gotap_gstatus");
	WRITE(w, GOTAP_PROC_STATUS, 0, GOTAP_GO_START);
	CHECK_STR(gotap_writer_error(w)->text, "16 is no status of a P, use enum gotap_pstatus");
	close_writer(w, fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(kinds_are_those_of_threads),
		UNIT(a_status_is_one_of_its_enum),
		{0},
	});
}
