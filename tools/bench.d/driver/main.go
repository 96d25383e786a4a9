// SPDX-License-Identifier: Apache-2.0

// driver measures gotap side by side with empty probes and with the runtime's own tracer. tools/bench runs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

type bench struct {
	gotap, tools string
	against      string // another gotap, measured beside this one; "" if there is none
	caddy        string // executable, "" if it cannot be had
	large        string // a large Go program to name addresses of, "" likewise
	scratch      string
	repeats      int
	slice        time.Duration
	always       time.Duration // of each server of part j
	programs     []string      // of part a; none: all
	rounds       int           // of the servers of part a
	window       time.Duration // of load, likewise
	tables       []*table
}

func (b *bench) tool(name string) string { return filepath.Join(b.tools, name) }

func (b *bench) say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// show prints a table as soon as it is complete.
func (b *bench) show(t *table) {
	b.tables = append(b.tables, t)
	fmt.Printf("\n%s", t.markdown())
}

var parts = map[string]struct {
	text string
	run  func(b *bench) error
}{
	"a": {"what probes cost the program", partPrograms},
	"b": {"BPF time per program and kind of record", partKinds},
	"c": {"what gotap itself costs", partUser},
	"d": {"attach, detach, first event, names", partLatency},
	"e": {"highest rate without loss", partRings},
	"f": {"reading traces, beside Go's own packages", partRead},
	"g": {"what traces say, beside go tool trace", partAnswers},
	"h": {"what group linux costs a context switch", partThreads},
	"i": {"what triggers cost an event", partTriggers},
	"j": {"what a recording costs that is always on", partAlways},
	"l": {"what requests cost", partRequests},
	"m": {"what events of allocations cost", partAllocations},
}

// wants tells whether part a shall measure a workload.
func (b *bench) wants(program string) bool {
	return len(b.programs) == 0 || slices.Contains(b.programs, program)
}

func allParts() []string {
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func run(b *bench, names, docs []string) error {
	for _, name := range names {
		part, ok := parts[name]
		if !ok {
			return fmt.Errorf("no part %q; there are %s", name, strings.Join(allParts(), " "))
		}
		b.say("# %s: %s", name, part.text)
		if err := part.run(b); err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
	}
	return writeTables(docs, b.tables)
}

func main() {
	b := &bench{}
	flag.StringVar(&b.gotap, "gotap", "", "gotap's executable")
	flag.StringVar(&b.against, "against", "", "another gotap's executable, to measure beside it")
	flag.StringVar(&b.tools, "tools", "", "folder of the bench's own programs")
	flag.StringVar(&b.caddy, "caddy", "", "executable of caddy")
	flag.StringVar(&b.large, "large", "", "a large Go executable")
	flag.StringVar(&b.scratch, "scratch", "", "folder for what is measured")
	flag.IntVar(&b.repeats, "repeats", 5, "repeats")
	flag.DurationVar(&b.slice, "slice", 300*time.Millisecond, "length of one measurement")
	flag.DurationVar(&b.always, "always", 2*time.Minute, "length of part j, for each server")
	quick := flag.Bool("quick", false, "each thing once and briefly")
	programs := flag.String("programs", "", "only these workloads in part a, with commas between them")
	flag.IntVar(&b.rounds, "rounds", 12, "rounds of the servers of part a")
	flag.DurationVar(&b.window, "window", time.Second, "length of each load of these servers")
	var docs []string
	flag.Func("doc", "document in which tables are to be replaced; may be given more than once", func(path string) error {
		docs = append(docs, path)
		return nil
	})
	flag.Parse()
	if *quick {
		b.repeats, b.slice, b.always = 1, 50*time.Millisecond, 0
		b.rounds, b.window = 1, 200*time.Millisecond
	}
	if *programs != "" {
		b.programs = strings.Split(*programs, ",")
	}
	names := flag.Args()
	if len(names) == 0 {
		names = allParts()
	}
	if err := run(b, names, docs); err != nil {
		b.say("bench: %v", err)
		os.Exit(1)
	}
}
