// SPDX-License-Identifier: Apache-2.0
/* grpc_layout: see grpc_layout.h. */
#include "target/grpc_layout.h"

#include <errno.h>
#include <stddef.h>

#include "gooffsets.h"
#include "target/around.h"

#define GRPC "google.golang.org/grpc"

/* Since grpc 1.28 package status is an alias of internal/status. */
static const char *const grpc_code_names[] = {
	GRPC "/internal/status.(*Status).Code", GRPC "/status.(*Status).Code",
};

static void layout_find_method(const struct gobin *b, struct grpc_layout *ret)
{
	enum { REGISTERS_SINCE = 17 };
	struct gobin_func fn;
	int32_t in, at;

	if (gobin_any_func(b, GRPC ".(*Server).handleStream", &fn) ||
	    around_string_field(b, &fn, '/', gobin_go_minor(b) < REGISTERS_SINCE, &in, &at) ||
	    at < 0)
		return;
	ret->method = (unsigned int)at;
	if (in >= 0)
		ret->method_in = (unsigned int)in;
}

static void layout_find_code(const struct gobin *b, struct grpc_layout *ret)
{
	struct gobin_func fn;
	int32_t at;
	size_t i;

	for (i = 0; i < sizeof(grpc_code_names) / sizeof(*grpc_code_names); i++) {
		if (gobin_any_func(b, grpc_code_names[i], &fn))
			continue;
		if (!around_word_field(b, &fn, &at) && at >= 0)
			ret->code = (unsigned int)at;
		return;
	}
}

static enum grpc_error_form layout_error_form(const struct gobin *b)
{
	struct gobin_func fn;

	if (!gobin_any_func(b, GRPC "/status.(*statusError).Error", &fn))
		return GRPC_ERROR_IS_PROTO;
	if (gobin_any_func(b, GRPC "/internal/status.(*Error).GRPCStatus", &fn))
		return GRPC_ERROR_UNKNOWN;
	return around_calls(b, &fn) ? GRPC_ERROR_HAS_PROTO : GRPC_ERROR_HAS_STATUS;
}

void grpc_layout_find(const struct gobin *b, struct grpc_layout *ret)
{
	*ret = (struct grpc_layout){ .method = GO_OFFSET_NONE, .method_in = GO_OFFSET_NONE,
				     .code = GO_OFFSET_NONE };
	layout_find_method(b, ret);
	layout_find_code(b, ret);
	ret->error_form = layout_error_form(b);
}

int grpc_error_method(const struct gobin *b, uint64_t *ret)
{
	struct gobin_func fn;

	if (gobin_any_func(b, GRPC "/internal/status.(*Error).Error", &fn) &&
	    gobin_any_func(b, GRPC "/status.(*statusError).Error", &fn))
		return -ENOENT;
	*ret = fn.addr;
	return 0;
}
