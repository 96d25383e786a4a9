// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"cmd/gotap/tracefile"
	"internal/trace"
)

// stackTable gives equal ids to equal stacks, whichever trace they come from.
// PCs do not count: inlined frames have none of their own, and a tracer outside may make them up.
type stackTable struct {
	ids   map[string]stackID
	texts []string
}

func newStackTable() *stackTable {
	return &stackTable{ids: map[string]stackID{"": 0}, texts: []string{""}}
}

func (t *stackTable) id(text string) stackID {
	id, ok := t.ids[text]
	if !ok {
		id = stackID(len(t.texts))
		t.ids[text] = id
		t.texts = append(t.texts, text)
	}
	return id
}

type loader struct {
	*history
	stacks  *stackTable
	seen    map[trace.Stack]stackID
	threads map[trace.ThreadID]*lastTimes
	last    int64 // time of the last event
	late    int64 // of the present event
}

func load(path string, stacks *stackTable) (*history, error) {
	l := &loader{
		history: newHistory(path),
		stacks:  stacks,
		seen:    map[trace.Stack]stackID{trace.NoStack: 0},
		threads: map[trace.ThreadID]*lastTimes{},
	}
	if err := tracefile.Each(path, l.add); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.end = l.ended()
	return l.history, nil
}

// lastTimes are those of a thread's last events, in a ring.
type lastTimes struct {
	at     [8]int64
	n      int
	oldest int64 // when the last event may have been at the earliest
}

func (t *lastTimes) add(at, late int64) {
	t.at[t.n%len(t.at)] = at
	t.n++
	t.oldest = at - late
}

// lateness of the thread's next event, which is shown at this time. A thread that loses its CPU in the middle of an
// event, between the event's sequence number and its time, is behind by all that it waits for: the reader shows
// whatever follows from that event after it, and where times do not grow then (trace.Reader.ReadEvent), it makes each 1
// ns more than the last. Such an event happened at any time since the thread's last one; but not earlier than a thread
// may wait for a CPU on a machine where a dozen others want it.
func (t *lastTimes) lateness(at, last int64) int64 {
	if t.n == 0 || at != last+1 {
		return 0
	}
	return min(at-t.oldest, longestWait)
}

const longestWait = 100e6

// ended is when tracing ended. The last event does not tell: a thread that was in the middle of one when the runtime
// stopped tracing completes it, and on a busy machine that may be long after all others were silent. So the last few
// of each thread do not count.
func (l *loader) ended() int64 {
	var end int64
	for _, t := range l.threads {
		if t.n >= len(t.at) {
			end = max(end, t.at[t.n%len(t.at)])
		}
	}
	if end == 0 {
		return l.end
	}
	return end
}

func (l *loader) add(ev trace.Event) error {
	at, last := int64(ev.Time()), l.last
	l.last = at
	if ev.Kind() == trace.EventSync {
		return nil
	}
	if l.start == 0 {
		l.start = at
	}
	l.end = at
	if l.threads[ev.Thread()] == nil {
		l.threads[ev.Thread()] = &lastTimes{}
	}
	thread := l.threads[ev.Thread()]
	l.late = thread.lateness(at, last)
	thread.add(at, l.late)
	if ev.Kind() == trace.EventStateTransition {
		l.addTransition(ev)
	} else {
		l.addExtra(ev)
	}
	return nil
}

func (l *loader) addTransition(ev trace.Event) {
	tr := ev.StateTransition()
	r, k := classify(tr)
	if !r.isProc {
		l.known[r.id] = true
		l.name(r.id, tr.Stack)
	}
	if k == other {
		return
	}
	l.steps[r] = append(l.steps[r], step{
		at:     int64(ev.Time()),
		late:   l.late,
		kind:   k,
		reason: tr.Reason,
		stack:  l.stack(ev.Stack()),
		entry:  l.entry(k, tr.Stack),
		thread: int64(ev.Thread()),
		proc:   int64(ev.Proc()),
	})
}

// Only a new goroutine's transition has a stack that is not the event's own.
func (l *loader) entry(k kind, s trace.Stack) stackID {
	if k == goCreate || k == goCreateBlocked {
		return l.stack(s)
	}
	return 0
}

// withoutTracer is the stack of a wake-up by injectglist as both tracers can know it: the runtime's skips no frame there
// (GoUnpark(gp, 0)), so that its own functions come first, and the line of injectglist is that of its call of the tracer.
func withoutTracer(frames []string) []string {
	for i, frame := range frames {
		switch {
		case strings.HasPrefix(frame, "runtime.traceLocker."):
		case strings.HasPrefix(frame, "runtime.injectglist "):
			return append([]string{"runtime.injectglist"}, frames[i+1:]...)
		default:
			return frames
		}
	}
	return frames
}

func (l *loader) stack(s trace.Stack) stackID {
	id, ok := l.seen[s]
	if !ok {
		text := strings.Join(withoutTracer(tracefile.Frames(s)), "\n")
		if text == " :0" { // Go 1.22 to 1.24, preempted in a prologue: an address outside any function
			text = ""
		}
		id = l.stacks.id(text)
		l.seen[s] = id
	}
	return id
}

func (l *loader) name(id int64, s trace.Stack) {
	if _, ok := l.names[id]; ok || s == trace.NoStack {
		return
	}
	frames := strings.Split(l.stacks.texts[l.stack(s)], "\n")
	l.names[id], _, _ = strings.Cut(frames[len(frames)-1], " ")
}

// Statuses (from undetermined, or to the same state) are no steps: kind other.
func classify(tr trace.StateTransition) (resource, kind) {
	if tr.Resource.Kind == trace.ResourceProc {
		from, to := tr.Proc()
		return resource{true, int64(tr.Resource.Proc())}, procKind(from, to)
	}
	from, to := tr.Goroutine()
	return resource{false, int64(tr.Resource.Goroutine())}, goKind(from, to)
}

var goStates = map[trace.GoState]state{
	trace.GoNotExist: goNotExist, trace.GoRunnable: goRunnable, trace.GoRunning: goRunning,
	trace.GoWaiting: goWaiting, trace.GoSyscall: goSyscall,
}

func goKind(from, to trace.GoState) kind {
	if from == trace.GoUndetermined {
		return other
	}
	return kindOf[goStates[from]][goStates[to]]
}

func procKind(from, to trace.ProcState) kind {
	switch {
	case from == trace.ProcIdle && to == trace.ProcRunning:
		return procStart
	case from == trace.ProcRunning && to == trace.ProcIdle:
		return procStop
	}
	return other
}
