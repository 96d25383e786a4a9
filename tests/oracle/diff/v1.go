// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
)

// Go up to 1.21 wrote another format (v1), which internal/trace reads too. Its times count from the start of the
// trace, by the processor's clock, and its threads are numbers of the runtime's own. Both are told by what the two
// traces have in common: every goroutine that is created while both run, once.

// rebase moves the runtime's trace to gotap's clock and thread ids if it is of that format. False if nothing tells how.
func rebase(a, b *history) bool {
	if !isV1(a.path) {
		return true
	}
	var offsets []int64
	votes := make(map[int64]map[int64]int)
	for r, steps := range a.steps {
		x, y := creation(steps), creation(b.steps[r])
		if r.isProc || x == nil || y == nil {
			continue
		}
		offsets = append(offsets, y.at-x.at)
		if votes[x.thread] == nil {
			votes[x.thread] = make(map[int64]int)
		}
		votes[x.thread][y.thread]++
	}
	if len(offsets) == 0 {
		return false
	}
	slices.Sort(offsets)
	a.move(quantile(offsets, 0.5), mostVoted(votes))
	return true
}

// isV1 reads the header, "go 1.NN trace".
func isV1(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var minor int
	n, _ := fmt.Fscanf(f, "go 1.%d trace", &minor)
	return n == 1 && minor < 22
}

func creation(steps []step) *step {
	for i := range steps {
		if steps[i].kind == goCreate {
			return &steps[i]
		}
	}
	return nil
}

func mostVoted(votes map[int64]map[int64]int) map[int64]int64 {
	winners := make(map[int64]int64)
	for from, counts := range votes {
		for to, n := range counts {
			if best, ok := winners[from]; !ok || n > counts[best] {
				winners[from] = to
			}
		}
	}
	return winners
}

func (h *history) move(by int64, threads map[int64]int64) {
	h.start += by
	h.end += by
	for _, steps := range h.steps {
		moveSteps(steps, by, threads)
	}
	for _, steps := range h.extras {
		moveSteps(steps, by, threads)
	}
}

func moveSteps(steps []step, by int64, threads map[int64]int64) {
	for i := range steps {
		steps[i].at += by
		if to, ok := threads[steps[i].thread]; ok {
			steps[i].thread = to
		}
	}
}
