// SPDX-License-Identifier: Apache-2.0

// v1parse reads traces with the parser of whatever Go release it was built in, from 1.15 to 1.22: all its checks of
// format, order and consistency, and what the page of goroutines is computed from.
//
//	v1parse [-events] [-goroutines] [-steps] FILE...
//
// A line for each file: "ok FILE events=N goroutines=N span=NS" or "FAIL FILE: error". With -events a line for each kind of
// event and how often there is one. With -goroutines a line for each:
//
//	ID EXEC SCHEDWAIT IO BLOCK SYSCALL NAME
//
// With -steps a line for each goroutine: its id, and the events that change its state, in order, each with the function of
// the leaf frame. The events before the first Gomaxprocs are left out: they state what there was when the trace began.
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
	showSteps      = flag.Bool("steps", false, "show what each goroutine did")
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
	if *showSteps {
		printSteps(res.Events)
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

// goroutineOf gives the goroutine that the event changes the state of, 0 if there is none.
func goroutineOf(ev *trace.Event) uint64 {
	switch ev.Type {
	case trace.EvGoCreate, trace.EvGoUnblock:
		return ev.Args[0]
	case trace.EvGoStart, trace.EvGoStartLabel, trace.EvGoEnd, trace.EvGoStop, trace.EvGoSched, trace.EvGoPreempt,
		trace.EvGoSleep, trace.EvGoBlock, trace.EvGoBlockSend, trace.EvGoBlockRecv, trace.EvGoBlockSelect,
		trace.EvGoBlockSync, trace.EvGoBlockCond, trace.EvGoBlockNet, trace.EvGoBlockGC, trace.EvGoSysCall,
		trace.EvGoSysBlock, trace.EvGoSysExit:
		return ev.G
	}
	return 0
}

// The parser gives the first start of a goroutine in the trace, whichever that is, the function that it begins with.
func step(ev *trace.Event) string {
	name := trace.EventDescriptions[ev.Type].Name
	if ev.StkID == 0 || len(ev.Stk) == 0 || ev.Type == trace.EvGoStart || ev.Type == trace.EvGoStartLabel {
		return name
	}
	return name + "@" + ev.Stk[0].Fn
}

func printSteps(events []*trace.Event) {
	steps := make(map[uint64][]string)
	begun := false
	for _, ev := range events {
		begun = begun || ev.Type == trace.EvGomaxprocs
		if id := goroutineOf(ev); begun && id != 0 {
			steps[id] = append(steps[id], step(ev))
		}
	}
	for id, s := range steps {
		fmt.Println(id, strings.Join(s, " "))
	}
}
