// SPDX-License-Identifier: Apache-2.0

// profile [-slack NS] GO GOTAP: are these pprof files the same profile, sample by sample? GO is of `go tool trace -pprof=TYPE`,
// which has one location for each address, of the first frame that it meets in the order of a map. So a sample is
// compared by its addresses, and each of GO's lines must be one that GOTAP has at that address. Outermost frames of
// address 0 make no difference there. With -slack each single wait may differ by so much.
package main

import (
	"flag"
	"fmt"
	"internal/profile"
	"maps"
	"os"
	"slices"
	"strings"
)

type line struct {
	addr       uint64
	name, file string
	line       int64
}

type contents struct {
	types   []string
	samples map[string][]int64
	lines   map[line]bool
}

func load(path string) (*contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	c := &contents{samples: map[string][]int64{}, lines: map[line]bool{}}
	for _, t := range append(p.SampleType, p.PeriodType) {
		c.types = append(c.types, t.Type+"/"+t.Unit)
	}
	for _, s := range p.Sample {
		c.sample(s)
	}
	return c, nil
}

func (c *contents) sample(s *profile.Sample) {
	var key strings.Builder
	for n := len(s.Location); n > 0 && s.Location[n-1].Address == 0; n-- {
		s.Location = s.Location[:n-1]
	}
	for _, loc := range s.Location {
		fmt.Fprintf(&key, " %#x", loc.Address)
		for _, l := range loc.Line {
			c.lines[line{loc.Address, l.Function.Name, l.Function.Filename, l.Line}] = true
		}
	}
	fmt.Fprint(&key, len(s.Label))
	old := c.samples[key.String()]
	for i, v := range s.Value {
		if i < len(old) {
			v += old[i]
		}
		s.Value[i] = v
	}
	c.samples[key.String()] = s.Value
}

func equal(a, b []int64, slack int64) bool {
	return slices.Equal(a, b) || len(a) == 2 && len(b) == 2 && a[0] == b[0] && max(a[1]-b[1], b[1]-a[1]) <= slack*a[0]
}

func compare(a, b *contents, slack int64) (faults []string) {
	if !slices.Equal(a.types, b.types) {
		faults = append(faults, fmt.Sprintf("types %v and %v", a.types, b.types))
	}
	for key, v := range a.samples {
		if !equal(v, b.samples[key], slack) {
			faults = append(faults, fmt.Sprintf("sample %v and %v at%s", v, b.samples[key], key))
		}
	}
	for key, v := range b.samples {
		if a.samples[key] == nil {
			faults = append(faults, fmt.Sprintf("sample nothing and %v at%s", v, key))
		}
	}
	for l := range a.lines {
		if !b.lines[l] {
			faults = append(faults, fmt.Sprintf("no line %+v", l))
		}
	}
	return faults
}

func sums(c *contents) []int64 {
	all := make([]int64, len(c.types)-1)
	for v := range maps.Values(c.samples) {
		for i := range v {
			all[i] += v[i]
		}
	}
	return all
}

func main() {
	slack := flag.Int64("slack", 0, "ns")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: profile [-slack NS] GO GOTAP")
		os.Exit(2)
	}
	a, err := load(flag.Arg(0))
	var b *contents
	if err == nil {
		b, err = load(flag.Arg(1))
	}
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
	faults := compare(a, b, *slack)
	for _, f := range faults[:min(len(faults), 10)] {
		fmt.Println(f)
	}
	if len(faults) != 0 {
		fmt.Println("FAIL", len(faults), "differences in", len(a.samples), "samples")
		os.Exit(1)
	}
	fmt.Println("same", len(a.samples), "samples", sums(a))
}
