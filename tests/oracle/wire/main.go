// SPDX-License-Identifier: Apache-2.0

// wire turns the text form of a trace (go tool trace -d=wire) back into a trace, so that tests can alter one.
//
//	wire <TEXT >TRACE
package main

import (
	"bufio"
	"fmt"
	"internal/trace/raw"
	"io"
	"os"
)

func main() {
	if err := convert(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

func convert(in io.Reader, out io.Writer) error {
	r, err := raw.NewTextReader(in)
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(out)
	w, err := raw.NewWriter(buf, r.Version())
	if err != nil {
		return err
	}
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return buf.Flush()
		}
		if err != nil {
			return err
		}
		if err := w.WriteEvent(ev); err != nil {
			return err
		}
	}
}
