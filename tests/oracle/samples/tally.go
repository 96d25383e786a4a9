// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"cmd/gotap/tracefile"
	"internal/trace"
)

type sample struct {
	at     int64
	g      int64    // -1: none
	frames []string // functions, leaf first
}

// What a thread has, by the state transitions so far, and what it had before its last change.
type thread struct {
	g, beforeG int64
	p, beforeP int64
	changed    int64
}

type tally struct {
	begin, end int64
	samples    []*sample
	withG      int
	inSyscall  int
	near       int
	wrong      []string

	threads map[trace.ThreadID]*thread
	entry   map[int64]string // function that a goroutine began with
	syscall map[int64]bool
	on      map[int64]trace.ThreadID // where a goroutine runs
	procs   map[int64]trace.ThreadID // where a P runs
}

func load(path string) (*tally, error) {
	t := &tally{
		threads: make(map[trace.ThreadID]*thread),
		entry:   make(map[int64]string),
		syscall: make(map[int64]bool),
		on:      make(map[int64]trace.ThreadID),
		procs:   make(map[int64]trace.ThreadID),
	}
	if err := tracefile.Each(path, t.add); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *tally) add(ev trace.Event) error {
	if ev.Kind() == trace.EventSync {
		return nil
	}
	if t.begin == 0 {
		t.begin = int64(ev.Time())
	}
	t.end = int64(ev.Time())
	switch ev.Kind() {
	case trace.EventStateTransition:
		t.transition(ev)
	case trace.EventStackSample:
		t.sample(ev)
	}
	return nil
}

func (t *tally) thread(id trace.ThreadID) *thread {
	if t.threads[id] == nil {
		t.threads[id] = &thread{g: -1, beforeG: -1, p: -1, beforeP: -1}
	}
	return t.threads[id]
}

func (t *tally) transition(ev trace.Event) {
	tr := ev.StateTransition()
	at := int64(ev.Time())
	if tr.Resource.Kind == trace.ResourceProc {
		_, to := tr.Proc()
		t.move(t.procs, int64(tr.Resource.Proc()), ev.Thread(), to == trace.ProcRunning, func(th *thread, p int64) {
			th.beforeP, th.p, th.changed = th.p, p, at
		})
		return
	}
	id := int64(tr.Resource.Goroutine())
	from, to := tr.Goroutine()
	t.syscall[id] = to == trace.GoSyscall
	if from == trace.GoNotExist && tr.Stack != trace.NoStack {
		frames := functions(tr.Stack)
		t.entry[id] = frames[len(frames)-1]
	}
	t.move(t.on, id, ev.Thread(), to == trace.GoRunning || to == trace.GoSyscall, func(th *thread, g int64) {
		th.beforeG, th.g, th.changed = th.g, g, at
	})
}

// move notes where @id runs from now on, if it does; what stays on its thread has not changed.
func (t *tally) move(where map[int64]trace.ThreadID, id int64, to trace.ThreadID, runs bool, set func(*thread, int64)) {
	old, ran := where[id]
	if ran && runs && old == to {
		return
	}
	if ran {
		set(t.thread(old), -1)
		delete(where, id)
	}
	if runs && to != trace.NoThread {
		set(t.thread(to), id)
		where[id] = to
	}
}

func functions(s trace.Stack) (names []string) {
	for f := range s.Frames() {
		names = append(names, f.Func)
	}
	return names
}

func (t *tally) sample(ev trace.Event) {
	s := &sample{at: int64(ev.Time()), g: int64(ev.Goroutine()), frames: functions(ev.Stack())}
	if n := len(s.frames); n > 0 && s.frames[n-1] == "runtime.goexit" {
		s.frames = s.frames[:n-1]
	}
	if len(s.frames) > 0 && s.frames[0] == "runtime.asyncPreempt" { // a signal of the runtime, met by that of its profiler
		s.frames = s.frames[1:]
	}
	th := t.thread(ev.Thread())
	t.samples = append(t.samples, s)
	if s.g >= 0 {
		t.withG++
	}
	if t.syscall[s.g] {
		t.inSyscall++
	}
	wrong := t.mismatch(s, th, int64(ev.Proc()))
	switch {
	case wrong == "":
	case s.at-th.changed <= near.Nanoseconds():
		t.near++
	default:
		t.wrong = append(t.wrong, fmt.Sprintf("at %d (%d ns after a change) on thread %d: %s; stack: %s", s.at,
			s.at-th.changed, ev.Thread(), wrong, strings.Join(s.frames, " < ")))
	}
}

func (t *tally) mismatch(s *sample, th *thread, p int64) string {
	if s.g != th.g {
		return fmt.Sprintf("goroutine %d, but %d runs there", s.g, th.g)
	}
	// In a syscall the P belongs to the thread until somebody takes it; the runtime shows it or not.
	if !t.syscall[s.g] && p != th.p {
		return fmt.Sprintf("P %d, but %d is there", p, th.p)
	}
	for i, f := range s.frames[:max(len(s.frames)-1, 0)] {
		if f == "runtime.mstart" {
			return fmt.Sprintf("behind %s, where its thread began, comes %s", f, s.frames[i+1])
		}
	}
	entry := t.entry[s.g]
	if s.g >= 0 && entry != "" && len(s.frames) > 0 && s.hasRoot() && !isRoot(s.frames[len(s.frames)-1], entry) {
		return fmt.Sprintf("goroutine %d began with %s, not %s", s.g, entry, s.frames[len(s.frames)-1])
	}
	return ""
}

// hasRoot returns whether the stack goes back to the goroutine's first function. It does not where mcall has switched
// stacks: there samples end, the runtime's too; gotap's also at morestack. Nor if the first function has returned, to
// goexit. Nor in a signal handler (where the runtime takes no sample) if the signal interrupted the first function, and
// that has no frame: a walk by frame pointers skips the interrupted function, so the stack ends at sigtramp.
func (s *sample) hasRoot() bool {
	switch s.frames[len(s.frames)-1] {
	case "runtime.mcall", "runtime.mstart", "runtime.morestack", "runtime.goexit1", "runtime.goexit0", "runtime.sigtramp":
		return false
	}
	return true
}

// A goroutine begins with a wrapper where a function has arguments (main.f.gowrap1, main.f.func1).
func isRoot(root, entry string) bool {
	return root == entry || strings.HasPrefix(root, entry) || strings.HasPrefix(entry, root)
}
