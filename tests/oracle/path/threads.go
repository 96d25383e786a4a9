// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"internal/trace"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// slack, in ns: the times of the trace are in units of 64 ns.
const slack = 64

type change struct {
	at    trace.Time
	state string // as THREAD_OFF has it, "on" or "queued"
	by    string // who took the CPU, or woke it
	// States that the thread had later, without a record: the kernel does not report all wake-ups and switches
	// (docs/threads.md).
	later []string
}

// threads are the records of group linux, as `gotap records` prints them.
type threads map[trace.ThreadID][]change

func field(words []string, name string) string {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value
		}
	}
	return ""
}

// comm returns the last field of the line, a name in quotes, which may have spaces.
func comm(line string) string {
	name, _ := strconv.Unquote(line[strings.IndexByte(line, '"'):])
	return name
}

// waits is whether the thread waits for a CPU in this state.
func (c *change) waits() bool {
	return c.state == "runnable" || c.state == "throttled" || c.state == "queued"
}

func (t threads) take(line string) {
	words := strings.Fields(line)
	time, _ := strconv.ParseInt(words[0], 10, 64)
	id, _ := strconv.ParseInt(words[1], 10, 64)
	c := change{at: trace.Time(time)}
	list := t[trace.ThreadID(id)]
	var last *change
	if len(list) > 0 {
		last = &list[len(list)-1]
	}
	switch words[2] {
	case "THREAD_ON":
		c.state = "on"
		if last != nil && !last.waits() {
			last.later = []string{"queued", "throttled"}
		}
	case "THREAD_OFF":
		if last != nil && last.state != "on" {
			last.later = []string{"on_cpu"}
		}
		c.state, c.by = field(words, "why"), comm(line)
		if strings.HasPrefix(field(words, "syscall"), "-") && (c.state == "sleep" || c.state == "blocked" || c.state == "io") {
			c.state = "fault"
		}
	case "THREAD_WAKE":
		if last != nil && (last.state == "on" || last.state == "runnable") {
			return
		}
		c.state, c.by = "queued", comm(line)
	default:
		return
	}
	t[trace.ThreadID(id)] = append(list, c)
}

func readThreads(path string) (threads, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := threads{}
	for s := bufio.NewScanner(f); s.Scan(); {
		t.take(s.Text())
	}
	return t, nil
}

// names has gotap's names for a state. A part of a wait for a CPU may be throttled. After the end of a thread its state
// is unknown.
var names = map[string][]string{
	"on": {"on_cpu"}, "runnable": {"queued", "throttled"}, "throttled": {"queued", "throttled"},
	"queued": {"queued", "throttled"}, "sleep": {"sleeping"}, "fault": {"page_fault"}, "blocked": {"blocked"}, "io": {"io"},
	"dead": {"unknown"}, "stopped": {"stopped"}, "traced": {"traced"}, "frozen": {"frozen"},
}

// possible returns the states that the thread may have had at that time, within slack; none before its first record.
func (t threads) possible(id trace.ThreadID, at trace.Time) []change {
	list := t[id]
	i := sort.Search(len(list), func(i int) bool { return list[i].at > at-slack }) - 1
	if i < 0 {
		return nil
	}
	j := i + 1
	for j < len(list) && list[j].at <= at+slack {
		j++
	}
	return list[i:j]
}

// check compares a step with the records of the goroutine's thread at that instant; false: there is no record to
// compare with.
func (t threads) check(id trace.ThreadID, at trace.Time, state, taker string) (bool, error) {
	changes := t.possible(id, at)
	for _, c := range changes {
		for _, name := range names[c.state] {
			if name == state && (taker == "" || c.by == taker) {
				return true, nil
			}
		}
		if slices.Contains(c.later, state) {
			return true, nil
		}
	}
	if len(changes) == 0 {
		return false, nil
	}
	return true, fmt.Errorf("at %d: thread %d %v, gotap has %q by %q", at, id, changes, state, taker)
}
