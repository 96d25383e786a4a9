// SPDX-License-Identifier: Apache-2.0

// check reads traces with Go's own reader and holds every event against the validator of Go's own tests.
//
//	check [-views] [-counts] [-goroutines] [-stacks] [-logs] [-v] FILE...
//
// One line per file, "ok FILE events=N gens=N ..." or "FAIL FILE: error"; the details that were asked for follow it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"

	"cmd/gotap/tracefile"
	"internal/trace"
	"internal/trace/testtrace"
)

var (
	showCounts     = flag.Bool("counts", false, "print event counts by kind and reason")
	showGoroutines = flag.Bool("goroutines", false, "print every goroutine with its first and last state")
	showStacks     = flag.Bool("stacks", false, "print the distinct stacks of every kind of event")
	showLogs       = flag.Bool("logs", false, "print every log event: time in ns, category, message")
	views          = flag.Bool("views", false, "also compute what the pages of go tool trace compute")
	verbose        = flag.Bool("v", false, "print errors in full")
)

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: check [-views] [-counts] [-goroutines] [-stacks] [-v] FILE...")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	failed := false
	for _, path := range flag.Args() {
		failed = !checkFile(out, path) || failed
	}
	out.Flush()
	if failed {
		os.Exit(1)
	}
}

func checkFile(out *bufio.Writer, path string) bool {
	s := newSummary()
	err := validate(path, s)
	if err != nil {
		fmt.Fprintf(out, "FAIL %s: %s (after %d events)\n", path, errorText(err), s.events)
	} else {
		fmt.Fprintf(out, "ok %s %s\n", path, s)
	}
	s.details(out)
	return err == nil
}

func validate(path string, s *summary) error {
	ver, err := tracefile.Version(path)
	if err != nil {
		return err
	}
	v := testtrace.NewValidator()
	v.GoVersion = ver
	var events []trace.Event
	err = tracefile.Each(path, func(ev trace.Event) error {
		s.add(ev)
		if *views {
			events = append(events, ev)
		}
		if err := v.Event(ev); err != nil {
			return fmt.Errorf("validator: %w at: %s", err, ev)
		}
		return nil
	})
	if err == nil && *views {
		err = computeViews(events)
	}
	return err
}

// errorText keeps an error on one line; the reader appends dumps of its whole state to some.
func errorText(err error) string {
	text := strings.TrimSpace(err.Error())
	if *verbose {
		return text
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = text[:300] + "..."
	}
	return text
}
