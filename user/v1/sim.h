/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim: the state that a v2 reader will have at each point of the converted
 * trace, and the steps that change it. A step emits its event and moves the
 * state, so what is emitted is always legal (internal/trace/order.go of Go
 * 1.27). Where v1 leaves a step out, handlers of convert_*.c add it.
 */
#ifndef GOTAP_V1_SIM_H
#define GOTAP_V1_SIM_H

#include "base/map64.h"
#include "base/vec.h"
#include "trace/tracefile.h"
#include "v1/convert.h"

struct sim_m;

enum sim_status { SIM_UNKNOWN, SIM_RUNNABLE, SIM_RUNNING, SIM_SYSCALL, SIM_WAITING, SIM_DEAD };

struct sim_region {
	uint64_t task;
	const char *name;	/* the caller's; equal texts have one address */
};

struct sim_g {
	uint64_t id;
	enum sim_status status;
	struct sim_m *m;	/* while running or in a system call */
	struct sim_m *last_m;	/* the thread that it was on last */
	uint64_t seq;
	uint64_t start_stack;	/* caller's key of the stack that names it, 0 none */
	uint64_t create_stack;	/* caller's key of where it was created, while held back */
	bool held_back;		/* created before the trace: no GoCreate, a status later */
	bool declared;		/* has a GoWaiting or GoInSyscall, which gives its status */
	bool stw;		/* stop-the-world range open */
	bool stw_ends;		/* its end waits until the goroutine runs again */
	bool assist;		/* mark assist range open */
	bool assist_before;	/* an assist was going on when the trace began */
	struct vec regions;	/* struct sim_region: open in what is written */
};

struct sim_p {
	uint64_t id;
	bool known;		/* has had its first status */
	struct sim_m *m;	/* holder, NULL: idle */
	uint64_t seq;
	bool in_syscall;	/* held by a thread in a system call */
	bool sweeping;
	struct sim_g *stw;	/* who stopped the world from here (up to 1.9) */
};

struct sim_m {
	uint64_t id;
	struct sim_p *p;
	struct sim_g *g;
	bool made_up, spare;
};

/* An event that needs a running goroutine, when there was none. */
struct sim_pending {
	enum tracev2_event ev;
	int nargs;
	uint64_t args[3];
};

struct sim {
	struct tracefile *tf;
	bool muted;			/* takes steps, writes nothing */
	bool status_stacks;		/* statuses name their goroutines (header 1.23 on) */
	struct map64 gs, ps, ms;	/* id -> pointer */
	struct vec spares;		/* struct sim_m *, made up and free */
	struct vec pending;		/* struct sim_pending */
	struct sim_m *last_user;	/* a thread with a P and a running goroutine */
	size_t nrunning;
	size_t stops;			/* goroutines whose stop-the-world range is open */
	uint64_t next_made_up;
	uint64_t now;			/* time of the v1 event at hand */
	uint64_t last;			/* of the last event written */
	size_t emitted;
	struct v1_convert_counts counts;
};

enum sim_origin {
	SIM_CONVERTED,	/* the event at hand */
	SIM_ADDED,	/* a step that v1 implies */
};

void sim_init(struct sim *s, struct tracefile *tf);
void sim_release(struct sim *s);

struct sim_g *sim_g(struct sim *s, uint64_t id);
/* @g has ended and is bound to nothing; its id may come again. */
void sim_forget_g(struct sim *s, struct sim_g *g);
struct sim_p *sim_p(struct sim *s, uint64_t id);
struct sim_m *sim_m(struct sim *s, uint64_t id);
struct sim_m *sim_made_up(struct sim *s);

/* Strictly increasing; added events use the time just before the one at hand. */
uint64_t sim_stamp(struct sim *s, enum sim_origin origin);
/* Writes one event on the stream of @m; NULL is the stream of nobody. */
void sim_emit(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
	      int nargs, const uint64_t *args);

#define sim_put(s, origin, m, ev, ...)                                                  \
	sim_emit(s, origin, m, ev, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,             \
		 (const uint64_t[]){ __VA_ARGS__ })

/* --- Ps and threads --- */

/* First status of @p: idle, or with @m running or in @m's system call. */
void sim_p_status(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m,
		  enum tracev2_pstatus status);
/* Gives @p, which nobody holds, to @m, which holds none. */
void sim_p_start(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m);
void sim_p_stop(struct sim *s, enum sim_origin origin, struct sim_p *p);
/* Thread @by takes @p away from one in a system call. */
void sim_p_steal(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *by);
/* The thread that holds @p; @p is started on @prefer or a made-up one if nobody does. */
struct sim_m *sim_p_hold(struct sim *s, struct sim_p *p, struct sim_m *prefer);
/* Moves @p away from a thread whose goroutine is in a system call. */
struct sim_m *sim_p_move(struct sim *s, struct sim_p *p, struct sim_m *prefer);

/* A P that nobody holds; the goroutine that has it stops. */
struct sim_p *sim_free_p(struct sim *s);

/* --- goroutines --- */

/* First status of @g, on @m (NULL for runnable and waiting ones). */
void sim_g_status(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		  struct sim_m *m);
/* @g is on @m by an event that the caller wrote. */
void sim_g_bind(struct sim *s, struct sim_g *g, struct sim_m *m, enum sim_status status);
/* From runnable to running on @m, which holds a P and no goroutine. */
void sim_g_start(struct sim *s, enum sim_origin origin, struct sim_g *g, struct sim_m *m);
/* @g leaves its thread by @ev with the given arguments. */
void sim_g_leave(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		 enum tracev2_event ev, int nargs, const uint64_t *args);
/*
 * The stop-the-world range of @g is open from now on, or ends, by an event that the caller wrote.
 */
void sim_stw(struct sim *s, struct sim_g *g, bool open);
/* @g is back from a system call that blocked. */
void sim_g_exit(struct sim *s, enum sim_origin origin, struct sim_g *g);
/* Makes @g runnable, by all steps that its present state needs. */
void sim_g_make_runnable(struct sim *s, struct sim_g *g);
/* Ends ranges that may not outlive @g. */
void sim_g_close_ranges(struct sim *s, struct sim_g *g);

/* Where @g runs with a P, else NULL. */
struct sim_m *sim_g_thread(const struct sim_g *g);

/* A new generation has begun: writes all statuses again. */
void sim_restate(struct sim *s);

/* --- events of the whole program --- */

/* A thread where some goroutine runs, or NULL. */
struct sim_m *sim_any_user(struct sim *s);
/* Writes the event where a goroutine runs, @m if that is not NULL, at once or when one does. */
void sim_program(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
		 int nargs, const uint64_t *args);
void sim_flush_pending(struct sim *s);
/* Takes back the last event of this type that still waits for a goroutine; false if none does. */
bool sim_take_back(struct sim *s, enum tracev2_event ev);

#endif
