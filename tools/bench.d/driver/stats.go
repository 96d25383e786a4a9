// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"sort"
)

// values of repeated measurements of one thing.
type values []float64

func (v values) sorted() values {
	s := append(values(nil), v...)
	sort.Float64s(s)
	return s
}

func (v values) median() float64 {
	s := v.sorted()
	n := len(s)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// text is "median (min to max)" in the given format, the median alone where there is one value.
func (v values) text(format string) string {
	s := v.sorted()
	switch len(s) {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf(format, s[0])
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", v.median(), s[0], s[len(s)-1])
}

// middle is "median (quartile to quartile)"; of fewer than eight values the least and the most.
func (v values) middle(format string) string {
	s := v.sorted()
	n := len(s)
	if n < 8 {
		return v.text(format)
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", v.median(), s[:n/2].median(), s[(n+1)/2:].median())
}

// over divides measurements of the same repeats, pair by pair, and leaves out pairs that say nothing.
func (v values) over(w values) values {
	var ratios values
	for i := range v {
		if i < len(w) && w[i] > 0 {
			ratios = append(ratios, v[i]/w[i])
		}
	}
	return ratios
}
