// SPDX-License-Identifier: Apache-2.0

// events prints what internal/trace of the Go release that it is built with gives of a trace, in the form of
// `gotap text --events --json`, which is to be the same byte for byte.
//
//	events FILE
//
// After an error of the reader, or a panic, which both end what is printed, the status is 1.
package main

import (
	"bufio"
	"fmt"
	"internal/trace"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: events FILE")
		os.Exit(2)
	}
	if err := print(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "events: %v\n", err)
		os.Exit(1)
	}
}

func print(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
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
		} else if err != nil {
			return err
		}
		var o object
		o.event(ev)
		out.Write(o.text)
		out.WriteByte('\n')
	}
}
