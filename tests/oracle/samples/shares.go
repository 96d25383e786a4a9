// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// shares counts samples by place or by stack.
type shares struct {
	count map[string]int
	total int
}

func (t *tally) shares(begin, end int64, name func(*sample) string) shares {
	s := shares{count: make(map[string]int)}
	for _, sample := range t.samples {
		if sample.at >= begin && sample.at <= end {
			s.count[name(sample)]++
			s.total++
		}
	}
	return s
}

// stack is that of functions, leaf first. What the scheduler does is left out: where a probe sits in it, one sampler
// sees the instruction before the trap, the other that behind it.
func stack(s *sample) string {
	if p := place(s); p == "the scheduler" {
		return p
	}
	return strings.Join(s.frames, " < ")
}

// place is the innermost function of the program itself; of what runs none, the function that the goroutine began with.
// While the scheduler works for a goroutine that has just stopped, the runtime's samples still name that one; gotap's
// say what the trace shows.
func place(s *sample) string {
	if s.g < 0 || (len(s.frames) > 0 && !s.hasRoot()) {
		return "the scheduler"
	}
	for _, f := range s.frames {
		if strings.HasPrefix(f, "main.") {
			return f
		}
	}
	if len(s.frames) == 0 {
		return "no stack"
	}
	return s.frames[len(s.frames)-1]
}

// compareShares leaves out what is less than @least of both.
func compareShares(a, b shares, least float64, fail func(string, ...any)) {
	places := make(map[string]bool)
	for place := range a.count {
		places[place] = true
	}
	for place := range b.count {
		places[place] = true
	}
	for _, place := range slices.Sorted(func(yield func(string) bool) {
		for place := range places {
			if !yield(place) {
				return
			}
		}
	}) {
		p, q := a.of(place), b.of(place)
		if p < least && q < least {
			continue
		}
		allowed := *bias + *sigmas*deviation(a, b, place)
		mark := ""
		if math.Abs(p-q) > allowed {
			mark = " <--"
			fail("%s has %.4f, not %.4f", place, p, q)
		}
		fmt.Printf("%-40s gotap %6d %.4f  runtime %6d %.4f  allowed %.4f%s\n", place, a.count[place], p, b.count[place], q,
			allowed, mark)
	}
}

func (s shares) of(place string) float64 { return float64(s.count[place]) / float64(max(s.total, 1)) }

// deviation of the difference of two shares, of samples that are drawn by chance.
func deviation(a, b shares, place string) float64 {
	n, m := float64(max(a.total, 1)), float64(max(b.total, 1))
	p := float64(a.count[place]+b.count[place]) / (n + m)
	return math.Sqrt(p * (1 - p) * (1/n + 1/m))
}
