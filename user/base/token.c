// SPDX-License-Identifier: Apache-2.0
/* token: see token.h. */
#define _GNU_SOURCE
#include "base/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int check_line(struct token *t, const char *path, struct error *err)
{
	size_t i, len = strcspn(t->text, "\n");

	for (i = 0; i < len; i++)
		if (t->text[i] <= ' ' || t->text[i] > '~')
			return error_set(
				err, -EINVAL,
				"the token in '%s' has a byte that is not printable, or a blank",
				path);
	if (len < TOKEN_LEAST || len > TOKEN_MOST - 1)
		return error_set(err, -EINVAL,
				 "the first line of '%s' has %zu bytes: a token has %d to %d", path,
				 len, TOKEN_LEAST, TOKEN_MOST - 1);
	memset(t->text + len, 0, sizeof(t->text) - len);
	return 0;
}

int token_read(struct token *t, const char *path, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t n;

	*t = (struct token){0};
	if (fd < 0 || fstat(fd, &st))
		return error_set(err, -errno, "cannot read the token in '%s': %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "the token's file '%s' is no regular file", path);
	if (st.st_mode & 077)
		return error_set(err, -EPERM,
				 "other users may read the token in '%s': chmod 600 '%s'", path,
				 path);
	n = read(fd, t->text, sizeof(t->text) - 1);
	if (n < 0)
		return error_set(err, -errno, "cannot read the token in '%s': %s", path,
				 strerror(errno));
	return check_line(t, path, err);
}

void token_forget(struct token *t)
{
	explicit_bzero(t, sizeof(*t));
}

/* --- from a request --- */

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/*
 * Decodes up to the padding, and puts a NUL behind it. Returns the length, at most @max - 1; -1: it
 * is not base64, or longer.
 */
static int base64_decode(const char *s, char *ret, int max)
{
	uint32_t bits = 0;
	int held = 0, n = 0, d;

	for (; (d = base64_digit(*s)) >= 0; s++) {
		bits = bits << 6 | (uint32_t)d;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		if (n >= max - 1)
			return -1;
		ret[n++] = (char)(bits >> held);
	}
	ret[n] = 0;
	return s[strspn(s, "=")] ? -1 : n;
}

static bool token_same(const struct token *t, const char *given)
{
	size_t i, n = strlen(t->text), m = strlen(given);
	unsigned int differs = n != m;

	for (i = 0; i < m; i++)
		differs |= (unsigned int)(unsigned char)(given[i] ^ t->text[n ? i % n : 0]);
	return !differs;
}

static bool basic_matches(const struct token *t, const char *encoded)
{
	char pair[2 * TOKEN_MOST + 2];
	const char *password;
	int n = base64_decode(encoded, pair, sizeof(pair));

	if (n < 0 || strlen(pair) != (size_t)n)
		return false;
	password = strchr(pair, ':');
	return password && token_same(t, password + 1);
}

bool token_matches(const struct token *t, const char *authorization)
{
	if (!*t->text)
		return true;
	if (!authorization)
		return false;
	if (!strncasecmp(authorization, "Bearer ", 7))
		return token_same(t, authorization + 7);
	if (!strncasecmp(authorization, "Basic ", 6))
		return basic_matches(t, authorization + 6);
	return false;
}
