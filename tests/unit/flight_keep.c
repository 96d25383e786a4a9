// SPDX-License-Identifier: Apache-2.0
/* Which snapshots of a folder stay, and those that cannot be deleted. */
#define _GNU_SOURCE
#include "flight_story.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

static void only_the_newest_stay(void)
{
	int i;

	begin();
	opts.keep = 3;
	start();
	add(1);
	for (i = 0; i < 9; i++)
		write_one();
	end();
	CHECK_EQ(files(), 6);
	check_file(9, 1, 1);
	opts.keep = 0;
	opts.keep_bytes = 1;	/* the snapshots of the recording before count, and are deleted */
	start();
	add(2);
	trigger_at(2.1, true);
	end();
	CHECK_EQ(files(), 2);
	check_file(1, 2, 2);
	clean();
}

static void write_one_in(struct flight *in)
{
	flight = in;
	write_one();
}

/* Two recordings with one folder: the limits are for the snapshots of both. */
static void all_recordings_of_a_folder_share_the_limits(void)
{
	struct flight_counts first, second;
	struct flight *a, *b;
	int i;

	begin();
	opts.keep = 3;
	start();
	add(1);
	a = flight;
	start();
	add(2);
	b = flight;
	for (i = 0; i < 2; i++)
		write_one_in(a);
	for (i = 0; i < 3; i++)
		write_one_in(b);
	CHECK_EQ(files(), 6);
	write_one_in(a);
	CHECK_EQ(files(), 6);
	check_file(4, 2, 2);
	check_file(5, 2, 2);
	check_file(6, 1, 1);
	flight_counts(a, &first);
	flight_counts(b, &second);
	CHECK_EQ(first.deleted, 1);
	CHECK_EQ(second.deleted, 2);
	flight_free(a);
	flight_free(b);
	clean();
}

/* Puts a folder in the place of snapshot @n: unlink() fails for a folder. */
static void replace_by_folder(const char *form, unsigned int n)
{
	char path[128], name[32];

	snprintf(name, sizeof(name), form, n);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkdir(path, 0755), 0);
}

static unsigned int times(const char *text)
{
	unsigned int n = 0;
	const char *p;

	for (p = said; (p = strstr(p, text)); p++)
		n++;
	return n;
}

/* The trace of one snapshot and the JSON of another one cannot be deleted. */
static void old_ones_that_cannot_be_deleted(void)
{
	struct flight_counts c;
	int i;

	begin();
	snprintf(pattern, sizeof(pattern), "%s/%%n0.trace", folder);
	opts.keep = 2;
	start();
	add(1);
	write_one();
	write_one();
	replace_by_folder("%u0.trace", 1);
	replace_by_folder("%u0.trace.json", 2);
	for (i = 0; i < 4; i++)
		write_one();
	c = end();
	CHECK_EQ(c.deleted, 3);
	CHECK_EQ(c.undeleted, 2);
	CHECK_EQ(times("10.trace', which is beyond the limits of --keep and --keep-bytes: Is a directory; the recording goes on"), 1);
	CHECK_EQ(times("cannot delete"), 1);
	CHECK_EQ(files(), 4 + 2 + 1);
	check_file(50, 1, 1);
	check_file(60, 1, 1);
	clean();
}

/* False: FS_IOC_SETFLAGS is not permitted, or the file system does not have it. */
static bool set_immutable(unsigned int n, bool on)
{
	int flags, fd, r;
	char path[128];

	snprintf(path, sizeof(path), "%s/%u.trace", folder, n);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	r = ioctl(fd, FS_IOC_GETFLAGS, &flags);
	flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	r = r || ioctl(fd, FS_IOC_SETFLAGS, &flags);
	close(fd);
	return !r;
}

/* gotap tries to delete it at each snapshot, reports the failure once, and succeeds when the flag is gone. */
static void an_immutable_one(void)
{
	struct flight_counts c;
	int i;

	begin();
	opts.keep = 2;
	start();
	add(1);
	write_one();
	if (set_immutable(1, true)) {
		for (i = 0; i < 4; i++)
			write_one();
		CHECK_EQ(times("cannot delete"), 1);
		CHECK_EQ(times("/1.trace', which is beyond the limits of --keep and --keep-bytes: Operation not permitted;"), 1);
		CHECK_EQ(files(), 6);	/* of snapshots 1, 4 and 5 */
		flight_counts(flight, &c);
		CHECK_EQ(c.undeleted, 1);
		CHECK_EQ(c.deleted, 2);
		set_immutable(1, false);
		write_one();
		CHECK_EQ(files(), 4);
		flight_finish(flight);
		flight_counts(flight, &c);
		CHECK_EQ(c.undeleted, 0);
		CHECK_EQ(c.deleted, 4);
	}
	flight_free(flight);
	clean();
}

/* gotap cannot recognize the files of such a pattern: a recording counts only those that it wrote itself. */
static void a_pattern_that_matches_nothing(void)
{
	int i;

	begin();
	snprintf(pattern, sizeof(pattern), "%s/%%n0.trace", folder);
	opts.keep = 2;
	start();
	add(1);
	for (i = 0; i < 4; i++)
		write_one();
	end();
	CHECK_EQ(files(), 4);
	check_file(30, 1, 1);
	check_file(40, 1, 1);
	clean();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(only_the_newest_stay),
		UNIT(all_recordings_of_a_folder_share_the_limits),
		UNIT(old_ones_that_cannot_be_deleted),
		UNIT(an_immutable_one),
		UNIT(a_pattern_that_matches_nothing),
		{0},
	});
}
