// SPDX-License-Identifier: Apache-2.0
/*
 * lossy: what the assembler makes of a spool file that is not what the
 * capture wrote. It runs the assembler's stages on altered copies in memory,
 * with short generations and made-up names, and is built with sanitizers.
 *
 *	lossy lose SPOOL OUTDIR VARIANTS SEED	one trace per variant
 *	lossy lose SPOOL OUTDIR INDEX SEED one	only variant INDEX
 *	lossy lose-old ...			the same in the formats before Go 1.22
 *	lossy damage SPOOL VARIANTS SEED	no traces: it must not crash
 *
 * "lose" leaves records out, in turn: one record of some kind; half or all of
 * a kind; all of one CPU for a while, as a full ring does; a share of all.
 * For each variant a line "INDEX KIND lost=N repairs=N".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/vec.h"
#include "stream/goid.h"
#include "sched/model.h"
#include "frames/stacks.h"
#include "stream/merge.h"
#include "stream/spool.h"
#include "trace/v2_sink.h"
#include "v1write/sink.h"

enum { KINDS = 256, GEN_NS = 20 * 1000 * 1000, GEN_BYTES = 1 << 20, FORMATS = 4 };

/* Of the headers; the old ones come second. */
static const int formats[2][FORMATS] = { { 22, 23, 25, 26 }, { 8, 11, 19, 21 } };

/* --- names: any will do, but each frame must have them --- */

static struct frame fake_frame(uint64_t pc)
{
	return (struct frame){ .pc = pc | 1, .func = "main.f", .file = "f.go", .line = 1 };
}

size_t symbolizer_stack(struct symbolizer *s, const uint64_t *pcs, size_t n, unsigned int skip,
			struct frame *out, size_t max)
{
	size_t i;

	for (i = 0; i < n && i < max; i++)
		out[i] = fake_frame(pcs[i]);
	return i;
}

int32_t symbolizer_sp_delta(struct symbolizer *s, uint64_t pc)
{
	return pc & 1 ? -1 : 8;
}

bool symbolizer_function(struct symbolizer *s, uint64_t pc, struct symbol_function *ret)
{
	*ret = (struct symbol_function){ .entry = pc, .name = "main.f" };
	return true;
}

size_t symbolizer_entry(struct symbolizer *s, uint64_t pc, struct frame *out)
{
	out[0] = fake_frame(pc);
	return 1;
}

uint64_t symbolizer_unanswered(const struct symbolizer *s, const char **why)
{
	return 0;
}

/* --- the spool file in memory --- */

struct spool {
	struct capture_info info;
	struct vec chunks;	/* struct chunk */
	size_t count[KINDS];	/* records by kind */
	uint64_t begin, end;	/* times of the first and last record of the kernel */
	uint32_t cpus;
};

static void die(const char *what)
{
	fprintf(stderr, "lossy: %s\n", what);
	exit(2);
}

/* Calls @fn for every record. */
#define each_record(c, s, r, at, stop)                                                   \
	for (size_t at = 0, stop; at < (c)->data.len;)                                   \
		for (s = *(const struct segment *)((c)->data.data + at),                 \
		     at += sizeof(s), stop = at + s.len;                                 \
		     at < stop && (r = (const struct rec *)((c)->data.data + at));       \
		     at += record_size(r, stop - at))

static void take_stock(struct spool *sp, const struct chunk *c)
{
	const struct rec *r;
	struct segment s;

	each_record(c, s, r, at, stop) {
		if (!record_size(r, stop - at))
			die("a record of another version");
		sp->count[r->kind]++;
		if (s.cpu == CHUNK_USER_CPU)
			continue;
		if (!sp->begin || r->time < sp->begin)
			sp->begin = r->time;
		if (r->time > sp->end)
			sp->end = r->time;
		if (s.cpu >= sp->cpus)
			sp->cpus = s.cpu + 1;
	}
}

static void spool_load(struct spool *sp, const char *path)
{
	struct spool_reader *in;
	struct chunk c = {0};
	struct error err;
	int r;

	if (spool_open(&in, path, &sp->info, &err))
		die(err.text);
	while ((r = spool_read(in, &c, &err)) > 0) {
		struct chunk *copy = vec_push(&sp->chunks, sizeof(*copy));

		*copy = c;
		copy->data = (struct buf){0};
		buf_add(&copy->data, c.data.data, c.data.len);
		take_stock(sp, copy);
	}
	if (r < 0)
		die(err.text);
	chunk_free(&c);
	spool_close(in);
}

/* --- which records a variant loses --- */

struct loss {
	const char *what;
	int kind;		/* 0: any */
	size_t nth;		/* of that kind, from 1; 0: by chance */
	double chance;
	uint32_t cpu;		/* -1: any */
	uint64_t from, to;
	size_t seen, lost;
};

static int kind_of_rank(const struct spool *sp, unsigned int rank)
{
	unsigned int kinds = 0, k;

	for (k = 1; k < KINDS; k++)
		kinds += sp->count[k] && k != REC_SNAP_END && k != REC_STACK;
	rank %= kinds;
	for (k = 1; k < KINDS; k++)
		if (sp->count[k] && k != REC_SNAP_END && k != REC_STACK && !rank--)
			break;
	return (int)k;
}

static double chance(void)
{
	return (double)rand() / RAND_MAX;
}

static struct loss loss_of(const struct spool *sp, unsigned int variant)
{
	struct loss l = { .cpu = UINT32_MAX, .to = UINT64_MAX };
	uint64_t span = sp->end - sp->begin;

	switch (variant % 8) {
	case 0: case 1: case 2: case 3:
		l.what = "one";
		l.kind = kind_of_rank(sp, variant / 2);
		l.nth = 1 + (size_t)(chance() * (double)sp->count[l.kind]);
		break;
	case 4:
		l.what = "half";
		l.kind = kind_of_rank(sp, variant / 8);
		l.chance = 0.5;
		break;
	case 5:
		l.what = "all";
		l.kind = kind_of_rank(sp, variant / 8);
		l.chance = 1;
		break;
	case 6:
		l.what = "cpu";
		l.cpu = variant / 8 % sp->cpus;
		l.from = sp->begin + (uint64_t)(chance() * (double)span);
		l.to = l.from + (uint64_t)(chance() * 1e-1 * (double)span);
		l.chance = 1;
		break;
	case 7:
		l.what = "share";
		l.chance = chance() * chance();
		break;
	}
	return l;
}

static bool loses(struct loss *l, const struct rec *r, uint32_t cpu)
{
	bool yes;

	if (r->kind == REC_SNAP_END || r->kind == REC_STACK ||
	    (l->kind ? r->kind != l->kind : cpu == CHUNK_USER_CPU))
		return false;
	if (l->cpu != UINT32_MAX && (cpu != l->cpu || r->time < l->from || r->time > l->to))
		return false;
	l->seen++;
	yes = l->nth ? l->seen == l->nth : chance() < l->chance;
	l->lost += yes;
	return yes;
}

static void copy_without(struct chunk *to, const struct chunk *from, struct loss *l)
{
	const struct rec *r;
	struct segment s;
	size_t out = 0;
	uint32_t cpu = UINT32_MAX;
	bool open = false;

	*to = *from;
	to->data = (struct buf){0};
	each_record(from, s, r, at, stop) {
		if (open && s.cpu != cpu)
			chunk_segment_end(to, out);
		if (!open || s.cpu != cpu)
			out = chunk_segment_begin(to, s.cpu);
		open = true;
		cpu = s.cpu;
		if (!loses(l, r, s.cpu))
			buf_add(&to->data, r, record_size(r, SIZE_MAX));
	}
	if (open)
		chunk_segment_end(to, out);
}

/* --- the assembler's stages --- */

struct pipeline {
	struct merge *merge;
	struct goid_filter *goids;
	struct stacks *stacks;
	struct model *model;
	struct v2_sink *trace;
	struct v1_sink *old;	/* or this one */
	struct error err;
	int failed;
};

static void pull(struct pipeline *p)
{
	const struct rec *r;

	while (!p->failed && (r = goid_filter_next(p->goids))) {
		if (r->kind == REC_STACK)
			stacks_define(p->stacks, (const struct rec_stack *)r);
		else
			p->failed = model_record(p->model, r, &p->err);
	}
}

static struct sink open_trace(struct pipeline *p, int version, int fd)
{
	struct tracefile_opts trace = { .version = version, .frames = stacks_frames, .ctx = p->stacks };
	struct v1_sink_opts old = { .version = version, .frames = stacks_frames, .ctx = p->stacks };

	if (v1_can_write(version) ? v1_sink_new(&p->old, fd, &old, &p->err) :
				    v2_sink_new(&p->trace, fd, &trace, NULL, &p->err))
		die(p->err.text);
	return p->old ? v1_sink(p->old) : v2_sink(p->trace);
}

static void pipeline_init(struct pipeline *p, const struct spool *sp, int version, int fd)
{
	/* The sink of old formats takes all events of v2, as the assembler gives them. */
	struct model_opts model = { .minor = (int)sp->info.go_minor,
				    .version = v1_can_write(version) ? formats[0][FORMATS - 1] : version,
				    .gen_ns = GEN_NS, .gen_bytes = GEN_BYTES };

	*p = (struct pipeline){0};
	p->stacks = stacks_new((struct symbolizer *)p, model.minor, 127);
	p->model = model_new(open_trace(p, version, fd), &model);
	p->merge = merge_new();
	p->goids = goid_filter_new(p->merge, true);
}

static void pipeline_chunk(struct pipeline *p, const struct chunk *c)
{
	model_clock(p->model, c->mono_ns, c->wall_ns);
	merge_add(p->merge, c, &p->err);
	pull(p);
	merge_keep(p->merge);
}

static void pipeline_finish(struct pipeline *p)
{
	merge_finish(p->merge);
	pull(p);
	goid_filter_finish(p->goids);
	pull(p);
	if (!p->failed)
		p->failed = model_finish(p->model, 0, &p->err);
	if (!p->failed && p->old && *v1_sink_generations(p->old))
		p->failed = v1_sink_finish(p->old, &p->err);
	if (p->failed)
		die(p->err.text);
}

static uint64_t pipeline_repairs(const struct pipeline *p)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < REPAIR_KINDS; i++)
		n += model_counts(p->model)->repairs[i];
	return n;
}

static void pipeline_release(struct pipeline *p)
{
	merge_free(p->merge);
	goid_filter_free(p->goids);
	model_free(p->model);
	stacks_free(p->stacks);
	v2_sink_free(p->trace);
	v1_sink_free(p->old);
}

/* --- the modes --- */

static void lose(const struct spool *sp, bool old, const char *dir, unsigned int variant, unsigned int seed)
{
	struct chunk c;
	struct pipeline p;
	struct loss l;
	char path[4096];
	size_t i;
	int fd;

	srand(seed + variant);
	l = loss_of(sp, variant);
	snprintf(path, sizeof(path), "%s/%u.trace", dir, variant);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		die(path);
	pipeline_init(&p, sp, formats[old][variant / 3 % FORMATS], fd);
	for (i = 0; i < sp->chunks.len; i++) {
		copy_without(&c, vec_at(&sp->chunks, struct chunk, i), &l);
		pipeline_chunk(&p, &c);
		chunk_free(&c);
	}
	pipeline_finish(&p);
	printf("%u %s kind=%d lost=%zu repairs=%llu\n", variant, l.what, l.kind, l.lost,
	       (unsigned long long)pipeline_repairs(&p));
	pipeline_release(&p);
	close(fd);
}

/* Alters some bytes, mostly of records' heads, and sometimes lengths and order. */
static void damage_bytes(struct chunk *c)
{
	size_t i, n = c->data.len ? (size_t)rand() % 8 : 0;

	for (i = 0; i < n; i++) {
		size_t at = (size_t)rand() % c->data.len;

		switch (rand() % 4) {
		case 0: c->data.data[at] ^= (uint8_t)(1 << rand() % 8); break;
		case 1: c->data.data[at] = 0xff; break;
		case 2: c->data.data[at] = 0; break;
		case 3:
			at &= ~(size_t)7;
			memcpy(c->data.data + at, c->data.data + ((size_t)rand() % c->data.len & ~(size_t)7),
			       c->data.len - at < 8 ? c->data.len - at : 8);
			break;
		}
	}
	if (rand() % 64 == 0)
		c->data.len -= (size_t)rand() % (c->data.len + 1);
	if (rand() % 64 == 0)
		c->watermark = (uint64_t)rand() << 32;
}

static void damage(const struct spool *sp, unsigned int variant, unsigned int seed, int fd)
{
	struct pipeline p;
	size_t i;

	srand(seed + variant);
	pipeline_init(&p, sp, formats[variant / FORMATS % 2][variant % FORMATS], fd);
	for (i = 0; i < sp->chunks.len; i++) {
		const struct chunk *from = vec_at(&sp->chunks, struct chunk, i);
		struct chunk c = *from;

		c.data = (struct buf){0};
		buf_add(&c.data, from->data.data, from->data.len);
		damage_bytes(&c);
		pipeline_chunk(&p, &c);
		chunk_free(&c);
	}
	pipeline_finish(&p);
	pipeline_release(&p);
}

static void spool_release(struct spool *sp)
{
	size_t i;

	for (i = 0; i < sp->chunks.len; i++)
		chunk_free(vec_at(&sp->chunks, struct chunk, i));
	vec_free(&sp->chunks);
}

int main(int argc, char **argv)
{
	struct spool sp = {0};
	unsigned int i, n, seed;
	bool old = argc > 1 && !strcmp(argv[1], "lose-old");
	int fd;

	if (argc >= 6 && (old || !strcmp(argv[1], "lose"))) {
		spool_load(&sp, argv[2]);
		n = (unsigned int)atoi(argv[4]);
		seed = (unsigned int)atoi(argv[5]);
		if (argc > 6)
			lose(&sp, old, argv[3], n, seed);
		for (i = 0; argc == 6 && i < n; i++)
			lose(&sp, old, argv[3], i, seed);
	} else if (argc == 5 && !strcmp(argv[1], "damage")) {
		fd = open("/dev/null", O_WRONLY);
		spool_load(&sp, argv[2]);
		n = (unsigned int)atoi(argv[3]);
		seed = (unsigned int)atoi(argv[4]);
		for (i = 0; i < n; i++)
			damage(&sp, i, seed, fd);
		close(fd);
		printf("%u damaged copies\n", n);
	} else {
		die("see the head of the source");
	}
	spool_release(&sp);
	return 0;
}
