// SPDX-License-Identifier: Apache-2.0

// Package tracefile walks the events of an execution trace with the reader of the Go tree it is built in.
package tracefile

import (
	"bufio"
	"fmt"
	"internal/trace"
	"internal/trace/version"
	"io"
	"os"
)

// Version reads the version in the file's header; the reader itself does not tell.
func Version(path string) (version.Version, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return version.ReadHeader(bufio.NewReader(f))
}

// Each calls fn for every event, in the reader's order, until either fails.
// A panic of the reader or of fn becomes an error: some damaged files have that effect.
func Each(path string, fn func(trace.Event) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, err := trace.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return err
	}
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(ev); err != nil {
			return err
		}
	}
}

// Frames renders a stack leaf first, one "func file:line" per frame.
func Frames(s trace.Stack) []string {
	var frames []string
	for f := range s.Frames() {
		frames = append(frames, fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line))
	}
	return frames
}
