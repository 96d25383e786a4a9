// SPDX-License-Identifier: Apache-2.0
/* Which function of a stack is the handler of a request. */
#include "unit.h"

#include <string.h>

#include "assemble/handler.h"

enum { MOST = 8 };

/* Leaf first. */
static const char *named(const char *const funcs[MOST], size_t room)
{
	static char name[64];
	struct trace_frame frames[MOST] = {0};
	size_t n;

	for (n = 0; n < MOST && funcs[n]; n++)
		frames[n].func = funcs[n];
	memset(name, 0, sizeof(name));
	CHECK_EQ(handler_of(frames, n, name, room), strlen(name));
	return name;
}

#define NAMED(...) named((const char *const[MOST]){ __VA_ARGS__ }, 64)
#define WRITES "net/http.(*response).WriteHeader", "io.WriteString"
#define FUNC "net/http.HandlerFunc.ServeHTTP"
#define SERVER "net/http.serverHandler.ServeHTTP", "net/http.(*conn).serve"

static void the_innermost_handler_counts(void)
{
	CHECK_STR(NAMED(WRITES, "main.item", FUNC, "main.log.func1", FUNC, SERVER), "main.item");
	CHECK_STR(NAMED(WRITES, "main.write", "main.item", FUNC, SERVER), "main.item");
	CHECK_STR(NAMED(WRITES, "main.item", "github.com/gin-gonic/gin.(*Context).Next", SERVER), "main.item");
}

static void a_type_is_a_handler(void)
{
	CHECK_STR(NAMED(WRITES, "main.(*store).ServeHTTP", FUNC, SERVER), "main.(*store).ServeHTTP");
	CHECK_STR(NAMED(WRITES, "main.serve", "main.(*store).ServeHTTP", SERVER), "main.(*store).ServeHTTP");
}

static void names_are_plain(void)
{
	CHECK_STR(NAMED(WRITES, "main.(*T).list-fm", FUNC, SERVER), "main.(*T).list");
	CHECK_STR(NAMED(WRITES, "x.org/y/vendor/z.org/w.Item", FUNC, SERVER), "z.org/w.Item");
	CHECK_STR(NAMED(WRITES, "main.item", "x/vendor/github.com/gin-gonic/gin.(*Context).Next"), "main.item");
	CHECK_STR(named((const char *const[MOST]){ "main.item", FUNC }, 5), "main");
}

static void no_handler(void)
{
	CHECK_STR(NAMED(WRITES, "net/http.(*response).finishRequest", "net/http.(*conn).serve"), "");
	CHECK_STR(NAMED(NULL), "");
	CHECK_STR(NAMED("", "main.item", FUNC), "main.item");
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(the_innermost_handler_counts), UNIT(a_type_is_a_handler),
					       UNIT(names_are_plain), UNIT(no_handler), {0} });
}
