// SPDX-License-Identifier: Apache-2.0
/* http: URLs of servers that gotap asks, and their answers. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "http/client.h"

static void urls_have_their_parts(void)
{
	struct error err;
	struct url u;

	CHECK(!url_parse(&u, "http://node7", &err));
	CHECK(!strcmp(u.host, "node7") && !strcmp(u.port, "80") && !*u.path && !*u.user && !u.brackets);
	CHECK(!url_parse(&u, "http://10.0.0.1:4040/a/b?x=1", &err));
	CHECK(!strcmp(u.host, "10.0.0.1") && !strcmp(u.port, "4040") && !strcmp(u.path, "/a/b?x=1"));
	CHECK_STR(u.shown, "http://10.0.0.1:4040/a/b");
	CHECK(!url_parse(&u, "HTTP://[fe80::1]:99?q", &err));
	CHECK(u.brackets && !strcmp(u.host, "fe80::1") && !strcmp(u.port, "99") && !strcmp(u.path, "/?q"));
	CHECK_STR(u.shown, "http://[fe80::1]:99/");
	CHECK(!url_parse(&u, "http://us%65r:p%40ss@h/", &err));
	CHECK(!strcmp(u.user, "user:p@ss") && !strcmp(u.host, "h"));
	CHECK_STR(u.shown, "http://h:80/");
}

static void others_are_refused_without_their_password(void)
{
	static const char *const wrong[] = {
		"", "node7", "ftp://h", "http://", "http://:80", "http://h:0", "http://h:65536", "http://h:8x", "http://h:",
		"http://[::1", "http://[::1]x", "http://h#f", "http://h h", "http://h/\n", "http://a;b/", "http://[h]/",
		"http://user:secret@:80/", "http://u%00:secret@h/", "http://h\xff/",
	};
	struct error err;
	struct url u;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(url_parse(&u, wrong[i], &err), -EINVAL);
		CHECK(!strstr(err.text, "secret"));
	}
	CHECK_EQ(url_parse(&u, "https://user:secret@h", &err), -EPROTONOSUPPORT);
	CHECK(strstr(err.text, "no TLS") && !strstr(err.text, "secret"));
}

static void arguments_are_escaped(void)
{
	struct buf out = {0};

	url_add_escaped(&out, "shop{zone=a,b=\"c d\"}\xff");
	buf_add_byte(&out, 0);
	CHECK_STR((char *)out.data, "shop%7Bzone%3Da%2Cb%3D%22c%20d%22%7D%FF");
	buf_free(&out);
}

static bool parse(const char *text, struct http_answer *a)
{
	return http_parse(text, strlen(text), a);
}

static void an_answer_has_its_status_and_first_line(void)
{
	struct http_answer a;

	CHECK(parse("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", &a) && a.status == 200 && !*a.line);
	CHECK(parse("HTTP/1.0 422 x\r\n\r\n\nno profile\nmore", &a) && a.status == 422);
	CHECK_STR(a.line, "no profile");
	CHECK(parse("HTTP/1.1 400 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", &a));
	CHECK_STR(a.line, "hello");
	CHECK(parse("HTTP/1.1 500 x\r\n\r\n\x1b[2Jx\r\n", &a));
	CHECK_STR(a.line, "\\x1b[2Jx");
	CHECK(parse("HTTP/1.1 204", &a) && a.status == 204);
	CHECK(!parse("", &a) && !parse("HTTP/2 200 OK\r\n\r\n", &a) && !parse("HTTP/1.1 20x OK\r\n\r\n", &a));
	CHECK(!parse("SSH-2.0-x\r\n", &a) && !parse("HTTP/1.1 099 x\r\n\r\n", &a));
}

static bool content(const char *text, const char *body)
{
	struct buf b = {0};
	bool whole = http_content(text, strlen(text), &b);

	CHECK(b.len == strlen(body) && !memcmp(b.data ? (char *)b.data : "", body, b.len));
	buf_free(&b);
	return whole;
}

static void an_answer_has_its_content(void)
{
	struct http_answer a;

	CHECK(content("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"));
	CHECK(!content("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", "hello"));
	CHECK(content("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello", "he"));
	CHECK(!content("HTTP/1.1 200 OK\r\n\r\nhello", "hello"));	/* up to the end of the connection */
	CHECK(!content("HTTP/1.1 200 OK\r\n", ""));
	CHECK(content("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", "hello"));
	CHECK(!content("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n4\r\nlo", "hello"));
	CHECK(!content("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nhel", ""));
	CHECK(!content("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhel", "hel"));
	CHECK(parse("HTTP/1.1 503 x\r\nRetry-After: 7\r\n\r\n", &a) && a.retry_after == 7);
	CHECK(parse("HTTP/1.1 503 x\r\nRetry-After: 99999999999999\r\n\r\n", &a) && a.retry_after == 60);
	CHECK(parse("HTTP/1.1 503 x\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\n", &a) && !a.retry_after);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(urls_have_their_parts), UNIT(others_are_refused_without_their_password), UNIT(arguments_are_escaped),
		UNIT(an_answer_has_its_status_and_first_line), UNIT(an_answer_has_its_content), {0},
	});
}
