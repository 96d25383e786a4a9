// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"internal/trace"
	"strings"
	"time"
)

// corrections keeps what Go's sums leave out or count twice (Go 1.27).
type corrections struct {
	last    trace.Time
	forever map[trace.GoID]trace.Time    // since when it waits with reason "forever"
	calls   map[trace.GoID]*call         // that are going on
	onP     map[trace.ProcID]trace.GoID  // who is in a system call with that P
	moved   map[trace.GoID]time.Duration // from SyscallTime to SyscallBlockTime
	sync    trace.Time
	used    [corrected]int
}

type call struct {
	p    trace.ProcID
	lost trace.Time // when it lost its P; 0: it has it

	// Of one that was found: it has no P, but Go counts it as with one from this time on.
	without trace.Time
	robbed  bool // Go does not notice that it loses its P
}

type correction int

const (
	waitsForever correction = iota
	openCall
	foundCall
	robbedCall
	corrected
)

func newCorrections() *corrections {
	return &corrections{forever: make(map[trace.GoID]trace.Time), calls: make(map[trace.GoID]*call),
		onP:   make(map[trace.ProcID]trace.GoID),
		moved: make(map[trace.GoID]time.Duration)}
}

func (c *corrections) String() string {
	return fmt.Sprintf("%d goroutines that wait for ever, %d system calls that go on without a P, %d found in one, "+
		"%d that lose it unnoticed", c.used[waitsForever], c.used[openCall], c.used[foundCall], c.used[robbedCall])
}

func (c *corrections) goStep(ev trace.Event, id trace.GoID, from, to trace.GoState, reason string) {
	if from == to {
		return
	}
	if from == trace.GoSyscall && c.calls[id] != nil {
		c.leave(id, ev.Time())
		c.rob(id)
		delete(c.calls, id)
	}
	switch {
	case to == trace.GoWaiting && reason == "forever":
		c.forever[id] = ev.Time()
	case to == trace.GoSyscall && from == trace.GoUndetermined && ev.Proc() == trace.NoProc:
		c.calls[id] = &call{p: trace.NoProc, without: ev.Time()}
	case to == trace.GoSyscall && from == trace.GoUndetermined && ev.Goroutine() != trace.NoGoroutine:
		c.calls[id] = &call{p: trace.NoProc, without: c.sync}
	case to == trace.GoSyscall:
		c.calls[id] = &call{p: ev.Proc()}
		c.onP[ev.Proc()] = id
	}
}

// rob does as Summarizer.Event() at the end of a system call: it forgets who is in one with the P of its begin, who may
// be another by now.
func (c *corrections) rob(id trace.GoID) {
	p := c.calls[id].p
	if other := c.onP[p]; other == id {
		delete(c.onP, p)
	} else if call := c.calls[other]; call != nil && call.p == p {
		call.robbed = true
	}
}

func (c *corrections) leave(id trace.GoID, now trace.Time) {
	call := c.calls[id]
	if call.without != 0 {
		c.used[foundCall]++
		c.moved[id] += time.Duration(now - call.without)
	}
	if call.robbed && call.lost != 0 {
		c.used[robbedCall]++
		c.moved[id] += time.Duration(now - call.lost)
	}
}

func (c *corrections) event(ev trace.Event) {
	c.last = ev.Time()
	if ev.Kind() == trace.EventSync || c.sync == 0 {
		c.sync = ev.Time()
	}
	if ev.Kind() != trace.EventStateTransition {
		return
	}
	st := ev.StateTransition()
	switch st.Resource.Kind {
	case trace.ResourceGoroutine:
		from, to := st.Goroutine()
		c.goStep(ev, st.Resource.Goroutine(), from, to, st.Reason)
	case trace.ResourceProc:
		from, to := st.Proc()
		if from == to || to != trace.ProcIdle {
			break
		}
		if call := c.calls[c.onP[st.Resource.Proc()]]; call != nil && call.p == st.Resource.Proc() {
			call.lost = ev.Time()
			delete(c.onP, call.p)
		}
	}
}

func (c *corrections) correct(sum *trace.Summary) {
	// Summarizer.Event() takes the reason "forever" for the end of the goroutine: the wait, and all after it, has
	// no time.
	for id, since := range c.forever {
		if g := sum.Goroutines[id]; g != nil {
			c.used[waitsForever]++
			g.BlockTimeByReason["forever"] += time.Duration(c.last - since)
			g.TotalTime += time.Duration(c.last - since)
		}
	}
	// snapshotStat() counts the part of an open system call without its P as SchedWaitTime, and as SyscallTime as
	// well.
	for id, call := range c.calls {
		c.leave(id, c.last)
		if g := sum.Goroutines[id]; g != nil && call.lost != 0 && !call.robbed {
			c.used[openCall]++
			without := time.Duration(c.last - call.lost)
			g.SchedWaitTime -= without
			g.SyscallTime -= without
			g.SyscallBlockTime += without
		}
	}
	// Event() takes a system call that a status tells of for one with a P from there on: without one if the status
	// has none (which it sees for the time before), or with the P of the thread that wrote the status of another's
	// goroutine.
	for id, ns := range c.moved {
		if g := sum.Goroutines[id]; g != nil {
			g.SyscallTime -= ns
			g.SyscallBlockTime += ns
		}
	}
}

// foundAssist says whether a goroutine that waits was in an assist when the trace began. MutatorUtilizationV2() takes
// the P of the thread that says so for busy, from the begin on and for ever.
func foundAssist(events []trace.Event) bool {
	for i := range events {
		ev := &events[i]
		if ev.Kind() == trace.EventSync && ev.Sync().N > 1 {
			return false
		}
		if ev.Kind() == trace.EventRangeActive && ev.Range().Name == "GC mark assist" &&
			ev.Range().Scope.Goroutine() != ev.Goroutine() {
			return true
		}
	}
	return false
}

// utilisation is what MutatorUtilizationV2() gives for stop-the-world and assist, and with background workers if they
// are asked for, but right: there, a worker counts each time that it begins to run and once more for the label that
// follows, but stops once, so that its P stays busy for ever after its second run; and see foundAssist. The runtime
// sometimes labels an ordinary goroutine, which may also assist: it keeps one P busy, not two.
func utilisation(events []trace.Event, background bool) [][]trace.MutatorUtil {
	u := &util{background: background, assists: make(map[trace.GoID]bool), workers: make(map[trace.GoID]bool),
		states: make(map[trace.GoID]trace.GoState), on: make(map[trace.GoID]trace.ProcID)}
	for i := range events {
		u.event(&events[i])
	}
	if len(u.out) > 0 {
		u.out = append(u.out, trace.MutatorUtil{Time: int64(events[len(events)-1].Time())})
	}
	return [][]trace.MutatorUtil{u.out}
}

type util struct {
	out              []trace.MutatorUtil
	gc               []int
	stw              int
	assists, workers map[trace.GoID]bool
	states           map[trace.GoID]trace.GoState
	on               map[trace.GoID]trace.ProcID // that executes for the GC
	background       bool
	syncs            int
}

func (u *util) count(p trace.ProcID, by int) {
	if p >= 0 && int(p) < len(u.gc) {
		u.gc[p] += by
	}
}

// active is an assist that was going on when the trace began, and counts since then if its goroutine executes.
func (u *util) active(ev *trace.Event) {
	r := ev.Range()
	if u.syncs > 1 || r.Name != "GC mark assist" {
		return
	}
	g := r.Scope.Goroutine()
	u.assists[g] = true
	if !u.states[g].Executing() {
		return
	}
	u.count(ev.Proc(), 1)
	u.on[g] = ev.Proc()
	for i := range u.out {
		u.out[i].Util = max(0, u.out[i].Util-1/float64(len(u.gc)))
	}
}

func (u *util) step(ev *trace.Event) {
	switch ev.Kind() {
	case trace.EventSync:
		u.syncs = ev.Sync().N
	case trace.EventRangeActive:
		u.active(ev)
	case trace.EventRangeBegin, trace.EventRangeEnd:
		r, by := ev.Range(), 1
		if ev.Kind() == trace.EventRangeEnd {
			by = -1
		}
		if strings.HasPrefix(r.Name, "stop-the-world") && strings.Contains(r.Name, "GC") {
			u.stw += by
		} else if r.Name == "GC mark assist" {
			if !u.workers[r.Scope.Goroutine()] {
				u.count(ev.Proc(), by)
			}
			u.on[ev.Goroutine()] = ev.Proc()
			u.assists[r.Scope.Goroutine()] = by > 0
		}
	case trace.EventStateTransition:
		st := ev.StateTransition()
		if st.Resource.Kind != trace.ResourceGoroutine {
			break
		}
		g := st.Resource.Goroutine()
		from, to := st.Goroutine()
		u.states[g] = to
		if !u.assists[g] && !u.workers[g] || from.Executing() == to.Executing() {
			break
		}
		if to.Executing() {
			u.count(ev.Proc(), 1)
			u.on[g] = ev.Proc()
		} else {
			u.count(u.on[g], -1)
			delete(u.workers, g)
		}
	case trace.EventLabel:
		label := ev.Label().Label
		if u.background && strings.HasPrefix(label, "GC ") && label != "GC (idle)" && !u.workers[ev.Goroutine()] {
			u.workers[ev.Goroutine()] = true
			u.on[ev.Goroutine()] = ev.Proc()
			if !u.assists[ev.Goroutine()] {
				u.count(ev.Proc(), 1)
			}
		}
	}
}

func (u *util) event(ev *trace.Event) {
	if ev.Kind() == trace.EventMetric && ev.Metric().Name == "/sched/gomaxprocs:threads" {
		n := int(ev.Metric().Value.Uint64())
		for len(u.gc) < n {
			u.gc = append(u.gc, 0)
		}
		u.gc = u.gc[:n]
		if len(u.out) == 0 {
			u.out = append(u.out, trace.MutatorUtil{Time: int64(ev.Time()), Util: 1})
		}
	}
	if len(u.gc) == 0 {
		return
	}
	u.step(ev)
	busy := 0
	for _, n := range u.gc {
		if n > 0 || u.stw > 0 {
			busy++
		}
	}
	now := 1 - float64(busy)/float64(len(u.gc))
	if now != u.out[len(u.out)-1].Util {
		u.out = append(u.out, trace.MutatorUtil{Time: int64(ev.Time()), Util: now})
	}
}
