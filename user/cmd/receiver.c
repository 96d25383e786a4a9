// SPDX-License-Identifier: Apache-2.0
/* receiver: see receiver.h. */
#include "cmd/receiver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"

enum { PAUSE_SECONDS = 1, HOUR = 3600 };

int receiver_open(struct receiver *r, const char *url, const char *token, double timeout,
		  struct error *err)
{
	double seconds = timeout < HOUR ? timeout : HOUR;
	int ret;

	*r = (struct receiver){ .has_token = token,
				.timeout_ms = (unsigned int)(seconds * 1000) + 1 };
	ret = url_parse(&r->url, url, err);
	if (!ret && token)
		ret = token_read(&r->token, token, err);
	if (ret)
		receiver_close(r);
	return ret;
}

void receiver_close(struct receiver *r)
{
	token_forget(&r->token);
	explicit_bzero(r->url.user, sizeof(r->url.user));
}

const char *receiver_token(const struct receiver *r)
{
	return r->has_token ? r->token.text : NULL;
}

int receiver_try(unsigned int attempts, receiver_attempt_fn *attempt, void *ctx,
		 struct error *err)
{
	unsigned int i, pause = 0;
	int ret = -EAGAIN;

	for (i = 0; i < attempts && ret == -EAGAIN; i++) {
		if (i) {
			show_printf(stderr, "gotap: %s; it is tried again\n", err->text);
			sleep(pause ? pause : (unsigned int)PAUSE_SECONDS << (i - 1));
		}
		pause = 0;
		ret = attempt(ctx, &pause, err);
	}
	return ret ? err->code : 0;
}
