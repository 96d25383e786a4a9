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

static bool layout_is_on_stack(const struct gobin *b)
{
	return gobin_go_minor(b) < gobin_arch(b)->register_args_since;
}

static void layout_find_method(const struct gobin *b, struct grpc_layout *ret)
{
	struct gobin_func fn;
	int32_t in, at;

	if (gobin_any_func(b, GRPC ".(*Server).handleStream", &fn) ||
	    around_string_field(b, &fn, '/', layout_is_on_stack(b), &in, &at) ||
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

static int layout_error_function(const struct gobin *b, struct gobin_func *ret)
{
	return gobin_any_func(b, GRPC "/internal/status.(*Error).Error", ret) &&
	       gobin_any_func(b, GRPC "/status.(*statusError).Error", ret) ? -ENOENT : 0;
}

static enum grpc_error_form layout_error_form(const struct gobin *b, unsigned int code)
{
	struct gobin_func fn;

	if (!gobin_any_func(b, GRPC "/internal/status.(*Error).GRPCStatus", &fn) &&
	    !around_calls(b, &fn))
		return GRPC_ERROR_HAS_STATUS;
	if (code == GO_OFFSET_NONE || layout_error_function(b, &fn))
		return GRPC_ERROR_UNKNOWN;
	switch (around_word_depth(b, &fn, (int32_t)code, layout_is_on_stack(b))) {
	case 0:
		return GRPC_ERROR_IS_PROTO;
	case 1:
		return GRPC_ERROR_HAS_PROTO;
	default:
		return GRPC_ERROR_UNKNOWN;
	}
}

void grpc_layout_find(const struct gobin *b, struct grpc_layout *ret)
{
	*ret = (struct grpc_layout){ .method = GO_OFFSET_NONE, .method_in = GO_OFFSET_NONE,
				     .code = GO_OFFSET_NONE };
	layout_find_method(b, ret);
	layout_find_code(b, ret);
	ret->error_form = layout_error_form(b, ret->code);
}

int grpc_error_method(const struct gobin *b, uint64_t *ret)
{
	struct gobin_func fn;

	if (layout_error_function(b, &fn))
		return -ENOENT;
	*ret = fn.addr;
	return 0;
}
