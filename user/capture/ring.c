// SPDX-License-Identifier: Apache-2.0
/* ring: see ring.h. Layout: linux/bpf.h and kernel/bpf/ringbuf.c. */
#define _GNU_SOURCE
#include "capture/ring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 8 };	/* length and flags before each record */

int ring_open(struct ring *r, uint32_t cpu, size_t size, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	*r = (struct ring){ .fd = -1, .cpu = cpu, .size = size };
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, (uint32_t)size, NULL);
	if (r->fd < 0)
		return error_set(err, -errno, "cannot make a ring buffer of %zu KiB: %s; try a smaller --ring-size",
				 size / 1024, strerror(errno));
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED)
		return error_set(err, -errno, "cannot map a ring buffer: %s", strerror(errno));
	r->consumer = p;
	p = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, r->fd, (off_t)page);
	if (p == MAP_FAILED)
		return error_set(err, -errno, "cannot map a ring buffer: %s", strerror(errno));
	r->producer = p;
	r->data = (const uint8_t *)p + page;
	return 0;
}

void ring_close(struct ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (r->consumer)
		munmap(r->consumer, page);
	if (r->producer)
		munmap((void *)r->producer, page + 2 * r->size);
	if (r->size && r->fd >= 0)
		close(r->fd);
	*r = (struct ring){ .fd = -1 };
}

bool ring_drain(struct ring *r, struct buf *out)
{
	unsigned long end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	unsigned long pos = *r->consumer;
	const uint8_t *head;
	uint32_t len;

	buf_reserve(out, end - pos);
	while (pos < end) {
		head = r->data + (pos & (r->size - 1));
		len = __atomic_load_n((const uint32_t *)head, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			memcpy(out->data + out->len, head + HEADER, len);
			out->len += len;
		}
		len &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		pos += (len + HEADER + 7) & ~7UL;
	}
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
	return pos == end;
}

size_t ring_fill(const struct ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - *r->consumer;
}
