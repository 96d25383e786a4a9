// SPDX-License-Identifier: Apache-2.0
/* probes: see probes.h. */
#include "attach/probes.h"

#include <errno.h>

void probes_init(struct probes *p)
{
	*p = (struct probes){0};
	pthread_mutex_init(&p->lock, NULL);
}

void probes_destroy(struct probes *p)
{
	pthread_mutex_destroy(&p->lock);
}

static bool is_silent(const struct probes *p)
{
	return __atomic_load_n(&p->silent, __ATOMIC_SEQ_CST);
}

int probes_attach(struct probes *p, unsigned int parts, struct error *err)
{
	int r;

	pthread_mutex_lock(&p->lock);
	if (is_silent(p))
		r = error_set(err, -ECANCELED, "the recording ends");
	else
		r = bpf_attach(p->bpf, parts, err);
	pthread_mutex_unlock(&p->lock);
	return r;
}

int probes_begin_inline(struct probes *p, struct error *err)
{
	int r;

	pthread_mutex_lock(&p->lock);
	if (is_silent(p))
		r = error_set(err, -ECANCELED, "the recording ends");
	else
		r = bpf_begin_inline(p->bpf, err);
	if (is_silent(p))
		bpf_deactivate(p->bpf);
	pthread_mutex_unlock(&p->lock);
	return r;
}

/*
 * Activates the probes, unless probes_silence() has been called. If both run at once, the later one
 * sees the flag that the earlier one has set.
 */
void probes_activate(struct probes *p)
{
	bpf_activate(p->bpf);
	if (is_silent(p))
		bpf_deactivate(p->bpf);
}

void probes_detach(struct probes *p, unsigned int parts)
{
	if ((parts & BPF_ALL) == BPF_ALL)
		bpf_deactivate(p->bpf);
	pthread_mutex_lock(&p->lock);
	bpf_detach(p->bpf, parts);
	pthread_mutex_unlock(&p->lock);
}

void probes_detach_region(struct probes *p, unsigned int i)
{
	pthread_mutex_lock(&p->lock);
	bpf_detach_region(p->bpf, i);
	pthread_mutex_unlock(&p->lock);
}

void probes_silence(struct probes *p)
{
	__atomic_store_n(&p->silent, true, __ATOMIC_SEQ_CST);
	bpf_deactivate(p->bpf);
}
