// SPDX-License-Identifier: Apache-2.0
/* api: what gotap_write() refuses, so that a mistake is an error and not a trace that nobody reads. */
#include "unit.h"

#include <errno.h>
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
	struct gotap_frame frame = { .pc = 1, .line = 1, .func = { "f", 1 } };

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
	WRITE(w, GOTAP_PROC_STATUS, 0, GOTAP_GO_START);
	CHECK_STR(gotap_writer_error(w)->text, "16 is no status of a P, use GOTAP_STATUS_PROC_...");
	CHECK_EQ(gotap_writer_error(w)->code, -EINVAL);
	close_writer(w, fd);
}

/* No state has the number of a status, so that one is never taken for the other. */
static void a_state_is_no_status(void)
{
	int fd, status;
	struct gotap_writer *w = open_writer(&fd, 25);
	unsigned int state, states = 0;

	for (state = 0; state < 1000; state++) {
		if (!gotap_state_name(state))
			continue;
		states++;
		CHECK_EQ(WRITE(w, GOTAP_GO_STATUS, 1, 7, state), -EINVAL);
		CHECK_EQ(WRITE(w, GOTAP_GO_STATUS_STACK, 1, 7, state, 0), -EINVAL);
		CHECK_EQ(WRITE(w, GOTAP_PROC_STATUS, 0, state), -EINVAL);
		status = gotap_state_status(state);
		if (status > 0 && state < GOTAP_STATE_PROC_UNDETERMINED)
			CHECK_EQ(WRITE(w, GOTAP_GO_STATUS, 1, 7, (uint64_t)status), 0);
		else if (status > 0)
			CHECK_EQ(WRITE(w, GOTAP_PROC_STATUS, 0, (uint64_t)status), 0);
	}
	CHECK_EQ(states, GOTAP_GO_STATES + GOTAP_PROC_STATES);
	WRITE(w, GOTAP_GO_STATUS, 1, 7, GOTAP_STATE_GO_SYSCALL);
	CHECK_STR(gotap_writer_error(w)->text,
		  "261, the state Syscall, is no status of a goroutine, use GOTAP_STATUS_GO_...");
	WRITE(w, GOTAP_PROC_STATUS, 0, GOTAP_STATE_PROC_IDLE);
	CHECK_STR(gotap_writer_error(w)->text,
		  "515, the state Idle, is no status of a P, use GOTAP_STATUS_PROC_...");
	close_writer(w, fd);
}

static void ids_and_times_are_those_of_the_generation(void)
{
	int fd;
	struct gotap_writer *w = open_writer(&fd, 25);
	struct gotap_frame frame = { .line = 3, .func = { "main.f", 6 } };

	CHECK_EQ(gotap_write_string(w, "", 0), 0);
	CHECK_EQ(gotap_write_string(w, "one", 3), 1);
	CHECK_EQ(gotap_write_string(w, "two", 3), 2);
	CHECK_EQ(gotap_write_string(w, "one", 3), 1);
	CHECK_EQ(gotap_write_stack(w, &frame, sizeof(frame), 0), 0);
	CHECK_EQ(gotap_write_stack(w, &frame, sizeof(frame), 1), 1);
	CHECK_EQ(gotap_write_stack(w, &frame, sizeof(frame), 1), 1);
	CHECK_EQ(WRITE(w, GOTAP_GO_BLOCK, 2, 1), 0);
	CHECK_EQ(WRITE(w, GOTAP_GO_BLOCK, 3, 1), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "the generation has no string 3");
	CHECK_EQ(WRITE(w, GOTAP_GO_BLOCK, 2, 2), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "the generation has no stack 2");
	CHECK_EQ(gotap_write(w, 1, 9, GOTAP_GO_DESTROY, 0, NULL), 0);
	CHECK_EQ(gotap_write(w, 1, 8, GOTAP_GO_DESTROY, 0, NULL), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "thread 1 has an event at 9 already");
	CHECK_EQ(gotap_write(w, 1, 0, GOTAP_GO_DESTROY, 0, NULL), -EINVAL);
	CHECK_EQ(gotap_write(w, 1, 9, GOTAP_GO_START, 1, (uint64_t[]){ 1 }), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "GoStart has 2 arguments, not 1");
	CHECK_EQ(gotap_write_sample(w, 1, 7, 0, 1, 1), 0);
	CHECK_EQ(gotap_write_sample(w, 1, 7, 0, 1, 2), -EINVAL);
	CHECK_EQ(gotap_write_sample(w, 1, 0, 0, 1, 1), -EINVAL);
	CHECK_EQ(gotap_generation(w, NULL), 0);
	CHECK_EQ(WRITE(w, GOTAP_GO_BLOCK, 1, 0), -EINVAL);
	close_writer(w, fd);
}

static void data_is_of_an_experiment_and_fits_a_batch(void)
{
	static const char bytes[65537];
	int fd;
	struct gotap_writer *w = open_writer(&fd, 23);

	CHECK_EQ(gotap_write_data(w, 1, 1, GOTAP_ALLOC_FREE, bytes, 65536), 0);
	CHECK_EQ(gotap_write_data(w, GOTAP_NONE, 1, GOTAP_ALLOC_FREE, NULL, 0), 0);
	CHECK_EQ(gotap_write_data(w, 1, 1, GOTAP_ALLOC_FREE, bytes, 65537), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text,
		  "65537 bytes are too many for a batch, which has at most 65536");
	CHECK_EQ(gotap_write_data(w, 1, 1, GOTAP_NO_EXPERIMENT, bytes, 1), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "there is no experiment 0");
	CHECK_EQ(gotap_write_data(w, 1, 0, GOTAP_ALLOC_FREE, bytes, 1), -EINVAL);
	close_writer(w, fd);
	w = open_writer(&fd, 22);
	CHECK_EQ(gotap_write_data(w, 1, 1, GOTAP_ALLOC_FREE, bytes, 1), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "header go 1.22 has no data of experiments");
	close_writer(w, fd);
}

static void a_writer_says_what_it_cannot_do(void)
{
	struct gotap_write_options options = { .size = sizeof(options), .version = 24 };
	struct gotap_writer *w;
	struct gotap_error err;
	int fd = open("/dev/full", O_WRONLY);

	CHECK_EQ(gotap_writer_new(&w, fd, &options, &err), -EINVAL);
	CHECK_STR(err.text, "there is no trace format go1.24");
	CHECK_EQ(gotap_writer_new(&w, fd, NULL, &err), -ENOSPC);
	close(fd);
	fd = open("/dev/null", O_WRONLY);
	CHECK_EQ(gotap_writer_new(&w, fd, NULL, &err), 0);
	CHECK_EQ(gotap_write_string(w, "x", 1), -EINVAL);
	CHECK_STR(gotap_writer_error(w)->text, "no generation is open");
	CHECK_EQ(gotap_writer_close(w, &err), -EINVAL);
	CHECK_STR(err.text, "a trace has at least one event");
	gotap_writer_free(NULL);
	close(fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(kinds_are_those_of_threads),
		UNIT(a_status_is_one_of_its_enum),
		UNIT(a_state_is_no_status),
		UNIT(ids_and_times_are_those_of_the_generation),
		UNIT(data_is_of_an_experiment_and_fits_a_batch),
		UNIT(a_writer_says_what_it_cannot_do),
		{0},
	});
}
