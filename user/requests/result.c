// SPDX-License-Identifier: Apache-2.0
/* result: see result.h. */
#include "requests/result.h"

#include <stdlib.h>
#include <string.h>

#include "read/grpc.h"
#include "read/http.h"

static bool result_is(const struct http_pair *p, const char *value)
{
	return p->value_len == strlen(value) && !memcmp(p->value, value, p->value_len);
}

bool result_failed(const struct result *r)
{
	return r->panic || r->status >= 500 || (r->has_code && grpc_code_is_fault(r->code));
}

bool result_is_category(const char *category)
{
	return !strcmp(category, HTTP_CATEGORY) || !strcmp(category, GRPC_CATEGORY);
}

/* Keys of calls of gRPC: of `status` they have the name. */
static void result_read_grpc(struct result *r, const struct http_pair *p)
{
	if (http_log_is(p, "side")) {
		r->grpc = true;
	} else if (r->grpc && http_log_is(p, "code")) {
		r->has_code = true;
		r->code = (unsigned int)strtoul(p->value, NULL, 10);
	}
}

void result_read(struct result *r, const char *message)
{
	struct http_pair p;

	while ((message = http_log_next(message, &p))) {
		if (http_log_is(&p, "status"))
			r->status = (unsigned int)strtoul(p.value, NULL, 10);
		else if (http_log_is(&p, "bytes"))
			r->bytes = strtoull(p.value, NULL, 10);
		else if (http_log_is(&p, "path"))
			http_log_copy(&p, r->path, sizeof(r->path));
		else if (http_log_is(&p, "end"))
			*(result_is(&p, "panic") ? &r->panic : &r->hijacked) = true;
		else if (http_log_is(&p, "proto"))
			r->h2 = result_is(&p, "h2");
		else
			result_read_grpc(r, &p);
	}
}
