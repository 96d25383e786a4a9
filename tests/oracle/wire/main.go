// SPDX-License-Identifier: Apache-2.0

// wire turns a trace into its text form and back, so that tests can alter one.
//
//	wire -text <TRACE >TEXT
//	wire <TEXT >TRACE
//
// The sizes of batches are computed anew: whatever the text says, a batch ends where the next one begins.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"internal/trace/raw"
	"internal/trace/tracev2"
	"io"
	"os"
)

var toText = flag.Bool("text", false, "from the wire form to the text form")

type writer interface{ WriteEvent(raw.Event) error }

func main() {
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	convert := encode
	if *toText {
		convert = decode
	}
	err := convert(bufio.NewReader(os.Stdin), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

func decode(in io.Reader, out io.Writer) error {
	r, err := raw.NewReader(in)
	if err != nil {
		return err
	}
	w, err := raw.NewTextWriter(out, r.Version())
	if err != nil {
		return err
	}
	return each(r.ReadEvent, w.WriteEvent)
}

func encode(in io.Reader, out io.Writer) error {
	r, err := raw.NewTextReader(in)
	if err != nil {
		return err
	}
	w, err := raw.NewWriter(out, r.Version())
	if err != nil {
		return err
	}
	s := sizer{out: w}
	if err := each(r.ReadEvent, s.WriteEvent); err != nil {
		return err
	}
	return s.flush()
}

func each(read func() (raw.Event, error), write func(raw.Event) error) error {
	for {
		ev, err := read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = write(ev)
		}
		if err != nil {
			return err
		}
	}
}

// A sizer holds a batch back until its size is known.
type sizer struct {
	out   writer
	batch []raw.Event
}

func (s *sizer) WriteEvent(ev raw.Event) error {
	if !isFraming(ev.Ev) {
		s.batch = append(s.batch, ev)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.batch = append(s.batch, ev)
	return nil
}

func isFraming(ev tracev2.EventType) bool {
	return ev == tracev2.EvEventBatch || ev == tracev2.EvExperimentalBatch || ev == tracev2.EvEndOfGeneration
}

func (s *sizer) flush() error {
	if len(s.batch) > 0 && s.batch[0].Ev == tracev2.EvEventBatch {
		s.batch[0].Args[3] = uint64(bodySize(s.batch[1:]))
	}
	for _, ev := range s.batch {
		if err := s.out.WriteEvent(ev); err != nil {
			return err
		}
	}
	s.batch = s.batch[:0]
	return nil
}

func bodySize(events []raw.Event) int {
	size := 0
	for i := range events {
		size += events[i].EncodedSize()
	}
	return size
}
