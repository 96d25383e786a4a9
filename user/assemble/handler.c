// SPDX-License-Identifier: Apache-2.0
/* handler: see handler.h. */
#include "assemble/handler.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "frames/stacks.h"
#include "record.h"

/* The functions by which routers call handlers. A path of a vendored package ends with these. */
static const char *const callers[] = {
	"net/http.HandlerFunc.ServeHTTP",
	"net/http.serverHandler.ServeHTTP",
	"net/http.(*http2serverConn).runHandler",
	"net/http/internal/http2.(*serverConn).runHandler",
	"golang.org/x/net/http2.(*serverConn).runHandler",
	"github.com/gin-gonic/gin.(*Context).Next",
	"github.com/julienschmidt/httprouter.(*Router).ServeHTTP",
	"github.com/labstack/echo/v4.(*Echo).add.func1",
	"github.com/labstack/echo.(*Echo).add.func1",
};

/* The name without the path of the package that has vendored it. */
static const char *handler_plain(const char *name)
{
	static const char vendor[] = "/vendor/";
	const char *at;

	while ((at = strstr(name, vendor)))
		name = at + strlen(vendor);
	return name;
}

static bool handler_is_caller(const char *func)
{
	const char *name = handler_plain(func);
	size_t i;

	for (i = 0; i < sizeof(callers) / sizeof(*callers); i++)
		if (!strcmp(name, callers[i]))
			return true;
	return false;
}

static bool handler_ends_with(const char *name, size_t n, const char *end)
{
	return n >= strlen(end) && !memcmp(name + n - strlen(end), end, strlen(end));
}

static bool handler_is_type(const char *name)
{
	return handler_ends_with(name, strlen(name), ".ServeHTTP") && !handler_is_caller(name);
}

static size_t handler_copy(const char *func, char *name, size_t room)
{
	const char *plain = handler_plain(func);
	size_t n = strlen(plain);

	if (handler_ends_with(plain, n, "-fm"))		/* the value of a method */
		n -= strlen("-fm");
	if (n > room - 1)
		n = room - 1;
	memcpy(name, plain, n);
	name[n] = 0;
	return n;
}

size_t handler_of(const struct trace_frame *frames, size_t n, char *name, size_t room)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!frames[i].func || !*frames[i].func)
			continue;
		if (handler_is_type(frames[i].func) ||
		    (i + 1 < n && frames[i + 1].func && handler_is_caller(frames[i + 1].func)))
			return handler_copy(frames[i].func, name, room);
	}
	return 0;
}

size_t handler_at(void *stacks, uint64_t key, char *name, size_t room)
{
	struct trace_frame frames[REC_MAX_FRAMES];

	return handler_of(frames, stacks_look(stacks, key, frames, REC_MAX_FRAMES), name, room);
}
