// SPDX-License-Identifier: Apache-2.0

// path [-threads RECORDS] TRACE ANSWER.json...: checks each step of `gotap why --full --json` by the definition of
// docs/why.md and the events that internal/trace gives, at the first, the middle and the last instant of the step: from
// the goroutine of the interval on to the one that ended its wait, if it waits then, or to its creator, if it does not
// exist yet. With -threads it checks the state of the goroutine's thread by the records, as `gotap records` prints
// them.
package main

import (
	"cmd/gotap/tracefile"
	"encoding/json"
	"flag"
	"fmt"
	"internal/trace"
	"os"
	"sort"
	"strings"
)

type stay struct {
	from, to trace.Time
	state    trace.GoState
	ended    bool // by an event
	by       trace.GoID
	reason   string
	byPoll   bool // ended by a deadline or Close
	thread   trace.ThreadID
}

// isExplained: sleeps and waits for the network are ended by what is outside of the program.
func (s *stay) isExplained() bool {
	return s.state == trace.GoWaiting && s.ended && s.by != trace.NoGoroutine && s.reason != "sleep" &&
		(s.reason != "network" || s.byPoll)
}

func isPoll(ev trace.Event) bool {
	for f := range ev.Stack().Frames() {
		return strings.HasPrefix(f.Func, "internal/poll.")
	}
	return false
}

type goroutine struct {
	stays   []stay
	created bool
	creator trace.GoID
}

type history struct {
	goroutines map[trace.GoID]*goroutine
	first      trace.Time
	sync, last trace.Time
	threads    threads
	compared   int
}

func (h *history) transition(ev trace.Event) {
	tr := ev.StateTransition()
	if tr.Resource.Kind != trace.ResourceGoroutine {
		return
	}
	id := tr.Resource.Goroutine()
	from, to := tr.Goroutine()
	g := h.goroutines[id]
	if g == nil {
		g = &goroutine{creator: trace.NoGoroutine}
		h.goroutines[id] = g
		if from == trace.GoNotExist {
			g.created, g.creator = true, ev.Goroutine()
			h.begin(g, ev.Time(), to, trace.NoThread)
		} else {
			h.begin(g, h.sync, to, trace.NoThread)
		}
		return
	}
	if from == to {
		return
	}
	s := &g.stays[len(g.stays)-1]
	s.to, s.ended, s.by, s.byPoll = ev.Time(), true, ev.Goroutine(), isPoll(ev)
	if to != trace.GoNotExist {
		h.begin(g, ev.Time(), to, ev.Thread())
		g.stays[len(g.stays)-1].reason = tr.Reason
	}
}

func (h *history) begin(g *goroutine, at trace.Time, state trace.GoState, thread trace.ThreadID) {
	g.stays = append(g.stays, stay{from: at, state: state, by: trace.NoGoroutine, thread: thread})
}

func (h *history) take(ev trace.Event) error {
	if h.first == 0 {
		h.first = ev.Time()
	}
	h.last = ev.Time()
	switch ev.Kind() {
	case trace.EventSync:
		h.sync = ev.Time()
	case trace.EventStateTransition:
		h.transition(ev)
	}
	return nil
}

func (g *goroutine) at(t trace.Time) *stay {
	if g == nil {
		return nil
	}
	i := sort.Search(len(g.stays), func(i int) bool { return g.stays[i].from > t }) - 1
	if i < 0 || (g.stays[i].ended && g.stays[i].to <= t) {
		return nil
	}
	return &g.stays[i]
}

// who says which goroutine it is in the end at that instant, its state and how many others are before it.
func (h *history) who(id trace.GoID, t trace.Time) (trace.GoID, trace.GoState, int) {
	for depth := 0; ; depth++ {
		g := h.goroutines[id]
		s := g.at(t)
		switch {
		case s == nil && g != nil && g.created && g.creator != trace.NoGoroutine && t < g.stays[0].from:
			id = g.creator
		case s != nil && s.isExplained():
			id = s.by
		case s == nil:
			return id, trace.GoNotExist, depth
		default:
			return id, s.state, depth
		}
	}
}

var states = map[string]trace.GoState{
	"running": trace.GoRunning, "assist": trace.GoRunning, "sweep": trace.GoRunning,
	"stops the world": trace.GoRunning, "runnable": trace.GoRunnable, "stopped": trace.GoRunnable,
	"waiting": trace.GoWaiting, "not recorded": trace.GoWaiting, "syscall": trace.GoSyscall,
	"syscall without P": trace.GoSyscall, "not created": trace.GoNotExist, "ended": trace.GoNotExist,
}

type answer struct {
	Goroutine trace.GoID
	From      int64 `json:"from_ns"`
	To        int64 `json:"to_ns"`
	Steps     []struct {
		From      int64 `json:"from_ns"`
		To        int64 `json:"to_ns"`
		Goroutine trace.GoID
		Depth     int
		Queued    string
		By        struct{ Comm string }
		Cause     struct{ Kind, Thread string }
	}
}

func (h *history) check(a *answer) error {
	until := a.From
	for _, s := range a.Steps {
		if s.From != until || s.To <= s.From {
			return fmt.Errorf("a step from %d to %d after one to %d", s.From, s.To, until)
		}
		until = s.To
		for _, at := range []int64{s.From, s.From + (s.To-s.From)/2, s.To - 1} {
			id, state, depth := h.who(a.Goroutine, h.first+trace.Time(at))
			want, ok := states[s.Cause.Kind]
			if !ok || id != s.Goroutine || depth != s.Depth || state != want {
				return fmt.Errorf("at %d: goroutine %d %v at depth %d, gotap has %d %s at depth %d",
					at, id, state, depth, s.Goroutine, s.Cause.Kind, s.Depth)
			}
			if err := h.checkThread(id, h.first+trace.Time(at), s.Cause.Thread, s.By.Comm); err != nil {
				return err
			}
		}
	}
	if until != a.To {
		return fmt.Errorf("the steps end at %d, the interval at %d", until, a.To)
	}
	return nil
}

// checkThread checks the thread's state of a step, if the thread is known: for a goroutine that ran since before the
// trace no event has it.
func (h *history) checkThread(id trace.GoID, at trace.Time, state, taker string) error {
	s := h.goroutines[id].at(at)
	executes := s != nil && (s.state == trace.GoRunning || s.state == trace.GoSyscall)
	if executes != (state != "") && h.threads != nil {
		return fmt.Errorf("at %d: goroutine %d %v, gotap has a thread %q", at, id, s, state)
	}
	if !executes || s.thread == trace.NoThread || h.threads == nil {
		return nil
	}
	compared, err := h.threads.check(s.thread, at, state, taker)
	if compared {
		h.compared++
	}
	return err
}

func (h *history) judge(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	if len(a.Steps) == 0 {
		return fmt.Errorf("no steps")
	}
	if err := h.check(&a); err != nil {
		return err
	}
	fmt.Printf("%s: goroutine %d, %d steps as defined\n", file, a.Goroutine, len(a.Steps))
	if h.threads != nil {
		fmt.Printf("%d instants are those of threads\n", h.compared)
	}
	return nil
}

func run(threads, path string, answers []string) error {
	h := &history{goroutines: map[trace.GoID]*goroutine{}}
	if threads != "" {
		var err error
		if h.threads, err = readThreads(threads); err != nil {
			return err
		}
	}
	if err := tracefile.Each(path, h.take); err != nil {
		return err
	}
	for _, file := range answers {
		if err := h.judge(file); err != nil {
			return fmt.Errorf("%s: %v", file, err)
		}
	}
	return nil
}

func main() {
	threads := flag.String("threads", "", "records of group linux")
	flag.Parse()
	args := flag.Args()
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: path [-threads RECORDS] TRACE ANSWER.json...")
		os.Exit(2)
	}
	if err := run(*threads, args[0], args[1:]); err != nil {
		fmt.Println("path:", err)
		os.Exit(1)
	}
}
