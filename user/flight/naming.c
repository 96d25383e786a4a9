// SPDX-License-Identifier: Apache-2.0
/* naming: see naming.h. */
#define _GNU_SOURCE
#include "flight/naming.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/name_pattern.h"
#include "base/vec.h"

/* 9999-12-31 in ns. With it, and with a number of 20 digits, a name is as long as it can be. */
static const uint64_t LAST_WALL = 253402300799ULL * 1000000000;

const char *const naming_ends[BESIDES] = {
	[BESIDE_JSON] = ".json",
	[BESIDE_HEAP] = ".heap.pb.gz",
	[BESIDE_HEAP_DIFF] = ".heap-diff.pb.gz",
};

/* The longest of these ends, and that of a file that is not whole. */
static size_t naming_longest_end(void)
{
	size_t i, n = 0;

	for (i = 0; i < BESIDES; i++)
		if (strlen(naming_ends[i]) > n)
			n = strlen(naming_ends[i]);
	return n + strlen(NAMING_PARTIAL);
}

static int check_length(const struct naming *names, struct error *err)
{
	_cleanup_free_ char *longest = naming_make(names, LAST_WALL, UINT64_MAX);

	if (strlen(longest) + naming_longest_end() <= NAME_MAX)
		return 0;
	return error_set(
		err, -EINVAL,
		"-o '%s': the name can become longer than the %d bytes that a name may have",
		names->form, NAME_MAX);
}

static int naming_check_form(const char *pattern, const char *folder, const char *form,
			     struct error *err)
{
	int r = name_pattern_check(pattern, err);

	if (r)
		return r;
	if (strchr(folder, '%'))
		return error_set(
			err, -EINVAL,
			"-o '%s': %%p, %%t and the like are for the file's name, not for its "
			"folder",
			pattern);
	if (!name_pattern_has(form, 'n'))
		return error_set(err, -EINVAL,
				 "-o '%s': the name of a snapshot needs %%n, its number, as in "
				 "'DIR/%%p-%%t-%%n.trace'",
				 pattern);
	return 0;
}

int naming_check(const char *pattern, struct error *err)
{
	const char *slash = strrchr(pattern, '/'), *form = slash ? slash + 1 : pattern;
	_cleanup_free_ char *folder = slash ? xstrndup(pattern, (size_t)(slash - pattern) + 1) :
					      xstrdup(".");

	return naming_check_form(pattern, folder, form, err);
}

int naming_parse(struct naming *ret, const char *pattern, const struct capture_info *info,
		 struct error *err)
{
	const char *slash = strrchr(pattern, '/'), *form = slash ? slash + 1 : pattern;
	_cleanup_free_ char *folder =
		slash ? xstrndup(pattern, (size_t)(slash - pattern) + 1) : xstrdup(".");
	int r = naming_check_form(pattern, folder, form, err);

	*ret = (struct naming){ .info = info };
	if (r)
		return r;
	ret->form = xstrdup(form);
	ret->folder = realpath(folder, NULL);
	if (!ret->folder)
		return error_set(err, -errno, "cannot write snapshots to '%s': %s", folder,
				 strerror(errno));
	return check_length(ret, err);
}

char *naming_make(const struct naming *names, uint64_t wall, uint64_t n)
{
	return name_pattern_expand(names->form, &(struct name_values){
		.pid = (pid_t)names->info->pid,
		.number = n,
		.time = (time_t)(wall / 1000000000),
		.exe = names->info->exe });
}

/* --- is a name one of ours? --- */

static size_t skip_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Skips digits where the form of a time has a 0. */
static size_t skip_time(const char *s)
{
	static const char form[] = "00000000T000000Z";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)s[i]) : s[i] != form[i])
			return 0;
	return i;
}

/* Returns the length of the text of %e, if @s begins with that text. */
static size_t skip_exe(const struct naming *names, const char *s)
{
	struct name_values values = { .exe = names->info->exe };
	_cleanup_free_ char *exe = name_pattern_expand("%e", &values);
	size_t n = strlen(exe);

	return strncmp(s, exe, n) ? 0 : n;
}

/* Returns the number of bytes at the begin of @s that %@c could have made. */
static size_t naming_skip(const struct naming *names, char c, const char *s)
{
	switch (c) {
	case 't':
		return skip_time(s);
	case 'e':
		return skip_exe(names, s);
	case '%':
		return *s == '%';
	default:
		return skip_digits(s);
	}
}

/*
 * The digits of %p and %n end before a byte that is no digit, so that a form with a digit after
 * them matches no name.
 */
bool naming_match(const struct naming *names, const char *name)
{
	const char *at;
	size_t n;

	for (at = names->form; *at; at++, name += n) {
		n = *at == '%' ? naming_skip(names, *++at, name) : *name == *at;
		if (!n)
			return false;
	}
	return !*name;
}

char *naming_beside(const char *trace, enum naming_beside which)
{
	return xasprintf("%s%s", trace, naming_ends[which]);
}

void naming_free(struct naming *names)
{
	free(names->folder);
	free(names->form);
	*names = (struct naming){0};
}
