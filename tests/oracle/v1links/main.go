// SPDX-License-Identifier: Apache-2.0

// v1links prints the events of a trace as the parser of this release, one of Go up to 1.22, gives
// them: place in the file, time, P, goroutine, kind, stack, and the place of the linked event. The
// parser takes events of equal times in any order, so there are no numbers.
//
//	v1links TRACE
package main

import (
	"bufio"
	"fmt"
	"os"

	"v1links/trace"
)

func fail(err error) {
	fmt.Fprintln(os.Stderr, "v1links:", err)
	os.Exit(1)
}

// place names a P as `gotap text --links` does.
func place(p int, kind byte) string {
	switch p {
	case trace.TimerP:
		return "timer"
	case trace.NetpollP:
		return "netpoll"
	case trace.SyscallP:
		return "syscall"
	case trace.GCP:
		return "gc"
	}
	if kind == 49 { // EvCPUSample, which Go 1.15 does not have
		return fmt.Sprintf("%d/profile", p)
	}
	return fmt.Sprint(p)
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	res, err := trace.ParseWithoutBinary(bufio.NewReader(f))
	if err != nil {
		fail(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, ev := range res.Events {
		fmt.Fprintf(out, "%d %d p=%s g=%d %s", ev.Off, ev.Ts, place(ev.P, ev.Type), ev.G, trace.EventDescriptions[ev.Type].Name)
		if len(ev.Stk) > 0 && ev.StkID != 0 {
			fmt.Fprintf(out, " stack=%d", ev.StkID)
		}
		if ev.Link != nil {
			fmt.Fprintf(out, " link=%d", ev.Link.Off)
		}
		fmt.Fprintln(out)
	}
}
