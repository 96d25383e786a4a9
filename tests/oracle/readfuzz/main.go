// SPDX-License-Identifier: Apache-2.0

// Readfuzz is Go's own reading side as one program, to compare gotap's with.
//
//	readfuzz text TRACE              text form, by internal/trace/raw, to stdout
//	readfuzz wire TEXT               the way back
//	readfuzz read TRACE              reads every event, prints their number
//	readfuzz validate TRACE          the same, each shown to the validator
//	readfuzz events TRACE            thread, proc, goroutine, time and transition of each event
//	readfuzz verdict TRACE...        what reader and validator say, one line each
//	readfuzz fuzz -gotap PROGRAM [-n N] [-seed S] [-keep DIR] TRACE...
//	                                 mutates the traces and compares the verdicts
//
// It uses packages that only GOROOT may import: build.sh places it there by overlay.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"internal/trace"
	"internal/trace/raw"
	"internal/trace/testtrace"
	"internal/trace/version"
	"io"
	"log"
	"os"
	"strings"
)

// legacy is what judge says of traces before Go 1.22: gotap reads them, and tests/v1.bats judges that.
const legacy = "a legacy format, which is not compared here"

func main() {
	log.SetFlags(0)
	log.SetPrefix("readfuzz: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: readfuzz text|wire|read|validate|events|verdict|fuzz ...")
	}
	var err error
	switch cmd, args := os.Args[1], os.Args[2:]; cmd {
	case "text":
		err = text(args[0], os.Stdout)
	case "wire":
		err = wire(args[0], os.Stdout)
	case "read":
		err = read(args[0], false)
	case "validate":
		err = read(args[0], true)
	case "events":
		err = events(args[0], os.Stdout)
	case "verdict":
		for _, file := range args {
			data, err := os.ReadFile(file)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s\t%s\n", file, judge(data))
		}
	case "fuzz":
		err = fuzz(args)
	default:
		err = fmt.Errorf("unknown command %s", cmd)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func text(file string, w io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := raw.NewReader(f)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	defer b.Flush()
	tw, err := raw.NewTextWriter(b, r.Version())
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
		if err := tw.WriteEvent(ev); err != nil {
			return err
		}
	}
}

func wire(file string, w io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := raw.NewTextReader(f)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	defer b.Flush()
	ww, err := raw.NewWriter(b, r.Version())
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
		if err := ww.WriteEvent(ev); err != nil {
			return err
		}
	}
}

// read ends with the first fault, by the reader or by the validator.
func read(file string, validate bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	v := testtrace.NewValidator()
	if v.GoVersion, err = version.ReadHeader(f); err != nil {
		return err
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := trace.NewReader(f)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			fmt.Println(n)
			return nil
		}
		if err == nil && validate {
			err = v.Event(ev)
		}
		if err != nil {
			return fmt.Errorf("after %d events: %w", n, err)
		}
	}
}

func events(file string, w io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := trace.NewReader(f)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	defer b.Flush()
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%d %d %d %d", ev.Thread(), ev.Proc(), ev.Goroutine(), ev.Time())
		if ev.Kind() == trace.EventStateTransition {
			tr := ev.StateTransition()
			switch tr.Resource.Kind {
			case trace.ResourceGoroutine:
				from, to := tr.Goroutine()
				fmt.Fprintf(b, " G%d %s %s", tr.Resource.Goroutine(), from, to)
			case trace.ResourceProc:
				from, to := tr.Proc()
				fmt.Fprintf(b, " P%d %s %s", tr.Resource.Proc(), from, to)
			}
		}
		fmt.Fprintln(b)
	}
}

// A verdict names the layer that refuses a trace, and how many events came before.
type verdict struct {
	kind   string // ok, header, reader, validator, panic
	events int
	text   string
}

func (v verdict) String() string {
	first, _, _ := strings.Cut(v.text, "\n")
	return fmt.Sprintf("%s\t%d\t%s", v.kind, v.events, first)
}

// judge reads data to its end. What the validator says comes before a later refusal by the
// reader, except that a first sync without a clock is only a consequence of that.
func judge(data []byte) (v verdict) {
	events := 0
	var strict *verdict
	defer func() {
		if p := recover(); p != nil {
			v = verdict{"panic", events, fmt.Sprint(p)}
			if strict != nil {
				v = *strict
			}
		}
	}()
	ver, err := version.ReadHeader(bytes.NewReader(data))
	if err != nil {
		return verdict{"header", 0, err.Error()}
	}
	if ver < version.Go122 {
		return verdict{"header", 0, legacy}
	}
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		return verdict{"header", 0, err.Error()}
	}
	validator := testtrace.NewValidator()
	validator.GoVersion = ver
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			if strict == nil || strings.HasPrefix(strict.text, "sync 1 has no clock") {
				return verdict{"reader", events, err.Error()}
			}
			break
		}
		events++
		if err := validator.Event(ev); err != nil && strict == nil {
			strict = &verdict{"validator", events, err.Error()}
		}
	}
	if strict != nil {
		return *strict
	}
	return verdict{"ok", events, ""}
}
