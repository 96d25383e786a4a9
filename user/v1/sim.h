/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim: the state of a v2 reader at each point of the written trace, and the steps that change it. A
 * step writes its event and changes the state, so that all written events are legal
 * (internal/trace/order.go of Go 1.27). Where v1 lacks a step, handlers of convert_*.c add it.
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
	const char *name;	/* owned by the caller; equal texts have one address */
};

struct sim_g {
	uint64_t id;
	enum sim_status status;
	struct sim_m *m;	/* thread while running or in a system call, else NULL */
	struct sim_m *last_m;	/* last thread on which it was */
	uint64_t seq;
	uint64_t start_stack;	/* caller's key of the stack of its start, 0: none */
	uint64_t create_stack;	/* caller's key of the stack of its creation, while held back */
	/* created before the trace: without a GoCreate, its status is written later */
	bool held_back;
	bool declared;		/* it has a GoWaiting or GoInSyscall, which gives its status */
	bool stw;		/* its stop-the-world range is open */
	bool stw_ends;		/* the end of this range waits until the goroutine runs again */
	bool assist;		/* its mark assist range is open */
	bool assist_before;	/* an assist was active when the trace began */
	struct trace_wait *wait;	/* what it waits for; NULL: it does not, or not known */
	struct vec regions;	/* struct sim_region: the open regions in the written trace */
};

struct sim_p {
	uint64_t id;
	bool known;		/* its first status is written */
	struct sim_m *m;	/* thread that has it, NULL: idle */
	uint64_t seq;
	bool in_syscall;	/* this thread is in a system call */
	bool sweeping;
	struct sim_g *stw;	/* goroutine that stopped the world from this P (up to 1.9) */
};

struct sim_m {
	uint64_t id;
	struct sim_p *p;
	struct sim_g *g;
	bool made_up, spare;
};

/* An event that needs a running goroutine, and waits for one. */
struct sim_pending {
	enum tracev2_event ev;
	int nargs;
	uint64_t args[3];
};

struct sim {
	struct tracefile *tf;
	bool muted;			/* steps write no events */
	/* statuses have stacks, which name goroutines (headers from 1.23 on) */
	bool status_stacks;
	struct map64 gs, ps, ms;	/* id -> pointer */
	struct vec spares;		/* struct sim_m *: invented threads that are unused */
	struct vec pending;		/* struct sim_pending */
	struct sim_m *last_user;	/* a thread with a P and a running goroutine, or NULL */
	size_t nrunning;
	size_t stops;			/* number of goroutines with an open stop-the-world range */
	uint64_t next_made_up;
	uint64_t now;			/* time of the current v1 event */
	uint64_t last;			/* time of the last written event */
	size_t emitted;
	struct v1_convert_counts counts;
};

enum sim_origin {
	SIM_CONVERTED,	/* the current event of the original */
	SIM_ADDED,	/* a step that the original lacks */
};

void sim_init(struct sim *s, struct tracefile *tf);
void sim_release(struct sim *s);

struct sim_g *sim_g(struct sim *s, uint64_t id);
/* Frees @g, which has ended and is on no thread. Another goroutine may get its id. */
void sim_forget_g(struct sim *s, struct sim_g *g);
struct sim_p *sim_p(struct sim *s, uint64_t id);
struct sim_m *sim_m(struct sim *s, uint64_t id);
struct sim_m *sim_made_up(struct sim *s);

/*
 * The time of the next written event, strictly increasing. Added events get times just before the
 * current event.
 */
uint64_t sim_stamp(struct sim *s, enum sim_origin origin);
/* Writes an event to the stream of @m; NULL: the stream of events without a thread. */
void sim_emit(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
	      int nargs, const uint64_t *args);

#define sim_put(s, origin, m, ev, ...)                                                  \
	sim_emit(s, origin, m, ev, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,             \
		 (const uint64_t[]){ __VA_ARGS__ })

/* --- Ps and threads --- */

/* Writes the first status of @p: idle, or on @m, which runs or is in a system call. */
void sim_p_status(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m,
		  enum tracev2_pstatus status);
/* Starts @p, which no thread has, on @m, which has no P. */
void sim_p_start(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *m);
void sim_p_stop(struct sim *s, enum sim_origin origin, struct sim_p *p);
/* Thread @by takes @p from a thread in a system call. */
void sim_p_steal(struct sim *s, enum sim_origin origin, struct sim_p *p, struct sim_m *by);
/*
 * Returns the thread that has @p. If no thread has it, starts @p on @prefer, or on an invented
 * thread if @prefer is not usable.
 */
struct sim_m *sim_p_hold(struct sim *s, struct sim_p *p, struct sim_m *prefer);
/* Takes @p from a thread with a goroutine in a system call, and starts @p as sim_p_hold(). */
struct sim_m *sim_p_move(struct sim *s, struct sim_p *p, struct sim_m *prefer);

/* Returns a P that no thread has. If all Ps are in use, one is stopped, with its goroutine. */
struct sim_p *sim_free_p(struct sim *s);

/* --- goroutines --- */

/* Writes the first status of @g, on @m (NULL for a runnable or waiting one). */
void sim_g_status(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		  struct sim_m *m);
/* @g waits, or is about to, for @wait; NULL: it does not wait, or that is not known. */
void sim_g_waits(struct sim_g *g, const struct trace_wait *wait);
/* The event that was written last is of a goroutine that waits for @wait: writes its socket. */
void sim_socket(struct sim *s, const struct trace_wait *wait);
/* Sets thread and status of @g after an event that the caller has written. */
void sim_g_bind(struct sim *s, struct sim_g *g, struct sim_m *m, enum sim_status status);
/* Starts @g, which is runnable, on @m, which has a P and no goroutine. */
void sim_g_start(struct sim *s, enum sim_origin origin, struct sim_g *g, struct sim_m *m);
/* @g leaves its thread by the event @ev with the given arguments. */
void sim_g_leave(struct sim *s, enum sim_origin origin, struct sim_g *g, enum sim_status status,
		 enum tracev2_event ev, int nargs, const uint64_t *args);
/* The stop-the-world range of @g begins (@open) or ends by an event that the caller has written. */
void sim_stw(struct sim *s, struct sim_g *g, bool open);
/* @g returns from a system call that blocked. */
void sim_g_exit(struct sim *s, enum sim_origin origin, struct sim_g *g);
/* Makes @g runnable, by all steps that its current state needs. */
void sim_g_make_runnable(struct sim *s, struct sim_g *g);
/* Ends the ranges that must end before @g. */
void sim_g_close_ranges(struct sim *s, struct sim_g *g);

/* The thread on which @g runs with a P, else NULL. */
struct sim_m *sim_g_thread(const struct sim_g *g);

/* Writes all statuses at the begin of a generation. */
void sim_restate(struct sim *s);

/* --- events of the whole program --- */

/* A thread on which a goroutine runs, or NULL. */
struct sim_m *sim_any_user(struct sim *s);
/*
 * Writes the event on a thread on which a goroutine runs: @m if it is not NULL. If no goroutine
 * runs the event waits for one.
 */
void sim_program(struct sim *s, enum sim_origin origin, struct sim_m *m, enum tracev2_event ev,
		 int nargs, const uint64_t *args);
void sim_flush_pending(struct sim *s);
/* Removes the last waiting event of this kind; false if none waits. */
bool sim_take_back(struct sim *s, enum tracev2_event ev);

#endif
