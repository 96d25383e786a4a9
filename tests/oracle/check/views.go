// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"internal/trace"
)

var utilFlags = []trace.UtilFlags{
	0,
	trace.UtilSTW | trace.UtilBackground | trace.UtilAssist | trace.UtilSweep,
	trace.UtilSTW | trace.UtilBackground | trace.UtilAssist | trace.UtilSweep | trace.UtilPerProc,
}

// computeViews runs the code behind the goroutine and garbage collection pages of go tool trace, which panics on some
// traces that reader and validator accept.
func computeViews(events []trace.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("view: panic: %v", p)
		}
	}()
	summarize(events)
	for _, flags := range utilFlags {
		if len(trace.MutatorUtilizationV2(events, flags)) == 0 {
			return errors.New("view: no mutator utilization, is there no GOMAXPROCS metric?")
		}
	}
	return nil
}

func summarize(events []trace.Event) {
	s := trace.NewSummarizer()
	for i := range events {
		s.Event(&events[i])
	}
	s.Finalize()
}
