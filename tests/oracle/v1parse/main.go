// SPDX-License-Identifier: Apache-2.0

// v1parse reads traces with the parser of whatever Go release it was built in, from 1.15 to 1.22: all its checks of
// format, order and consistency, and what the page of goroutines is computed from.
//
//	v1parse [-events | -goroutines] FILE...
//
// A line for each file: "ok FILE events=N goroutines=N span=NS" or "FAIL FILE: error". With -events a line for each kind of
// event and how often there is one. With -goroutines a line for each:
//
//	ID EXEC SCHEDWAIT IO BLOCK SYSCALL NAME
package main

import (
	"bufio"
	"flag"
	"fmt"
	"internal/trace"
	"os"
	"sort"
	"strings"
)

var (
	showEvents     = flag.Bool("events", false, "count the events of each kind")
	showGoroutines = flag.Bool("goroutines", false, "show where each goroutine spent its time")
)

func main() {
	flag.Parse()
	status := 0
	for _, path := range flag.Args() {
		if err := judge(path); err != nil {
			status = 1
			fmt.Printf("FAIL %s: %s\n", path, strings.SplitN(err.Error(), "\n", 2)[0])
		}
	}
	os.Exit(status)
}

func judge(path string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	res, err := trace.Parse(bufio.NewReader(f), "")
	if err != nil {
		return err
	}
	gs := trace.GoroutineStats(res.Events)
	span := res.Events[len(res.Events)-1].Ts - res.Events[0].Ts
	fmt.Printf("ok %s events=%d goroutines=%d span=%d\n", path, len(res.Events), len(gs), span)
	if *showEvents {
		printEvents(res.Events)
	}
	if *showGoroutines {
		printGoroutines(gs)
	}
	return nil
}

func printEvents(events []*trace.Event) {
	counts := make(map[string]int)
	for _, ev := range events {
		counts[trace.EventDescriptions[ev.Type].Name]++
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("%s %d\n", name, counts[name])
	}
}

func printGoroutines(gs map[uint64]*trace.GDesc) {
	var ids []uint64
	for id := range gs {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for _, id := range ids {
		g := gs[id]
		fmt.Printf("%d %d %d %d %d %d %s\n", id, g.ExecTime, g.SchedWaitTime, g.IOTime, g.BlockTime,
			g.SyscallTime, g.Name)
	}
}
