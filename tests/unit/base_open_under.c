// SPDX-License-Identifier: Apache-2.0
/*
 * What a container may have put in the place of a file: a device, a FIFO, a link to
 * somewhere else on the host. A FIFO that is opened without a writer would wait for
 * ever, so each test is also one of that.
 */
#define _GNU_SOURCE
#include "base/open_under.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "unit.h"

static char root[] = "/tmp/gotap-unit-XXXXXX";

static char *inside(const char *path)
{
	static char ret[256];

	snprintf(ret, sizeof(ret), "%s%s", root, path);
	return ret;
}

static void put(const char *path, const char *text)
{
	int fd = open(inside(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	CHECK_EQ(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void make_root(void)
{
	CHECK(mkdtemp(root));
	CHECK_EQ(mkdir(inside("/usr"), 0755), 0);
	put("/usr/file", "inside");
	put("/passwd", "inside");
	CHECK_EQ(mkfifo(inside("/fifo"), 0644), 0);
	CHECK_EQ(symlink("/usr/file", inside("/absolute")), 0);
	CHECK_EQ(symlink("/etc/passwd", inside("/elsewhere")), 0);
	CHECK_EQ(symlink("../../../../../../../../passwd", inside("/upwards")), 0);
	CHECK_EQ(symlink("/usr", inside("/folder")), 0);
	CHECK_EQ(symlink("/fifo", inside("/to_fifo")), 0);
	CHECK_EQ(symlink("/dev/zero", inside("/to_zero")), 0);
}

static void remove_root(void)
{
	static const char *const files[] = {
		"/usr/file", "/passwd", "/fifo", "/absolute", "/elsewhere", "/upwards", "/folder",
		"/to_fifo", "/to_zero", "/zero",
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(inside(files[i]));
	rmdir(inside("/usr"));
	rmdir(root);
}

/* Reads it; the text that is there, or the error. */
static const char *text_of(int fd)
{
	static char text[64];
	ssize_t n;

	if (fd < 0)
		return strerrorname_np(-fd);
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return text;
}

static void links_end_in_the_root(void)
{
	CHECK_STR(text_of(open_under(root, "/usr/file")), "inside");
	CHECK_STR(text_of(open_under(root, "usr/file")), "inside");
	CHECK_STR(text_of(open_under(root, "/absolute")), "inside");
	CHECK_STR(text_of(open_under(root, "/upwards")), "inside");
	CHECK_STR(text_of(open_under(root, "/folder/../passwd")), "inside");
	CHECK_STR(text_of(open_under(root, "/folder/file")), "inside");
	CHECK_STR(text_of(open_under(root, "/elsewhere")), "ENOENT");
	CHECK_STR(text_of(open_under(root, "/nothing")), "ENOENT");
	CHECK_STR(text_of(open_under("/nonexistent", "/nothing")), "ENOENT");
}

static void only_regular_files(void)
{
	CHECK_STR(text_of(open_under(root, "/fifo")), "ENOEXEC");
	CHECK_STR(text_of(open_under(root, "/to_fifo")), "ENOEXEC");
	CHECK_STR(text_of(open_under(root, "/usr")), "ENOEXEC");
	CHECK_STR(text_of(open_under(root, "/to_zero")), "ENOENT");
	CHECK_STR(text_of(open_under(NULL, "/dev/zero")), "ENOEXEC");
	CHECK_STR(text_of(open_regular(inside("/fifo"))), "ENOEXEC");
	CHECK_STR(text_of(open_regular("/dev/zero")), "ENOEXEC");
	CHECK_STR(text_of(open_regular(inside("/usr"))), "ENOEXEC");
	CHECK_STR(text_of(open_regular(inside("/usr/file"))), "inside");
	if (mknod(inside("/zero"), S_IFCHR | 0666, makedev(1, 5)))
		return;		/* not root */
	CHECK_STR(text_of(open_under(root, "/zero")), "ENOEXEC");
	CHECK_STR(text_of(open_regular(inside("/zero"))), "ENOEXEC");
}

/* A process that gives away a descriptor of its own under the name of a file. */
static void magic_links_are_not_followed(void)
{
	char path[64];
	int fd = open(inside("/passwd"), O_RDONLY | O_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_STR(text_of(open_under("/", path)), "ELOOP");
	CHECK_STR(text_of(open_under("/", "/proc/self/root/etc/passwd")), "ELOOP");
	CHECK_STR(text_of(open_regular(path)), "inside");	/* that one we chose ourselves */
	close(fd);
}

int main(void)
{
	int r;

	make_root();
	r = unit_main((struct unit_case[]){
		UNIT(links_end_in_the_root),
		UNIT(only_regular_files),
		UNIT(magic_links_are_not_followed),
		{0} });
	remove_root();
	return r;
}
