// SPDX-License-Identifier: Apache-2.0

// offsets reads the fields that gooffsets.h lists from the DWARF data of Go
// programs named go1.NN, or from source trees of that name, and writes them as a C
// table; as "offsets reasons GOROOT..." it writes the table of reason_table.h. See
// tools/gen-offsets.
package main

import (
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// field is a row F(member, "type", "path", since) of gooffsets.h.
type field struct {
	member, typ, path string
	since             int
}

var row = regexp.MustCompile(`F\((\w+),\s*"([^"]+)",\s*"([^"]+)",\s*(\d+)\)`)

func readFields(header string) (fields []field) {
	text, err := os.ReadFile(header)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		since, _ := strconv.Atoi(m[4])
		fields = append(fields, field{m[1], m[2], m[3], since})
	}
	return fields
}

// structs returns the struct types of the program by name.
func structs(d *dwarf.Data, wanted map[string]bool) map[string]*dwarf.StructType {
	found := map[string]*dwarf.StructType{}
	r := d.Reader()
	for e, err := r.Next(); e != nil; e, err = r.Next() {
		if err != nil {
			log.Fatal(err)
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag != dwarf.TagStructType || !wanted[name] {
			continue
		}
		t, err := d.Type(e.Offset)
		if err != nil {
			log.Fatal(err)
		}
		found[name] = t.(*dwarf.StructType)
	}
	return found
}

// offset takes the first of the paths ("new|old") that the type has.
func offset(t *dwarf.StructType, paths string) (int64, bool) {
	for _, path := range strings.Split(paths, "|") {
		if sum, ok := pathOffset(t, path); ok {
			return sum, true
		}
	}
	return 0, false
}

func pathOffset(t *dwarf.StructType, path string) (int64, bool) {
	var sum int64
	for _, name := range strings.Split(path, ".") {
		if t == nil {
			return 0, false
		}
		var next *dwarf.StructField
		for _, f := range t.Field {
			if f.Name == name {
				next = f
			}
		}
		if next == nil {
			return 0, false
		}
		sum += next.ByteOffset
		typ := next.Type
		if td, ok := typ.(*dwarf.TypedefType); ok {
			typ = td.Type
		}
		t, _ = typ.(*dwarf.StructType)
	}
	return sum, true
}

// release returns the version of the program ("go1.25.12") and its NN of 1.NN.
func release(program string) (string, int) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		log.Fatal(err)
	}
	var minor int
	if _, err := fmt.Sscanf(info.GoVersion, "go1.%d", &minor); err != nil {
		log.Fatalf("%s: version %q", program, info.GoVersion)
	}
	return info.GoVersion, minor
}

func writeProgram(program string, fields []field) {
	version, minor := release(program)
	f, err := elf.Open(program)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		log.Fatalf("%s: %v", program, err)
	}
	wanted := map[string]bool{}
	for _, f := range fields {
		wanted[f.typ] = true
	}
	types := structs(d, wanted)
	writeRow(version, minor, fields, func(f field) (int64, bool) { return offset(types[f.typ], f.path) })
}

func writeRow(version string, minor int, fields []field, offset func(field) (int64, bool)) {
	fmt.Printf("\t[%d] = {\t/* %s */\n", minor, version)
	for _, f := range fields {
		off, ok := offset(f)
		switch {
		case ok:
			fmt.Printf("\t\t.%s = %d,\n", f.member, off)
		case minor >= f.since:
			log.Fatalf("%s: no field %s.%s", version, f.typ, f.path)
		default:
			fmt.Printf("\t\t.%s = GO_OFFSET_NONE,\n", f.member)
		}
	}
	fmt.Printf("\t},\n")
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("offsets: ")
	if os.Args[1] == "reasons" {
		writeReasons(os.Args[2:])
		return
	}
	fields := readFields(os.Args[1])
	fmt.Print(`/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field offsets of the Go runtime by release (1.NN). tools/gen-offsets has written this file from
 * DWARF data, or from the sources of a release. Patch releases of one minor release do not differ.
 */
#ifndef GOTAP_TARGET_OFFSETS_TABLE_H
#define GOTAP_TARGET_OFFSETS_TABLE_H

#include "gooffsets.h"

`)
	fmt.Printf("_Static_assert(sizeof(struct go_offsets) == %d * sizeof(unsigned int),\n"+
		"\t       \"gooffsets.h changed: run tools/gen-offsets\");\n\n", len(fields))
	fmt.Print("static const struct go_offsets offsets_by_minor[] = {\n")
	for _, path := range os.Args[2:] {
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			writeSource(path, fields)
		} else {
			writeProgram(path, fields)
		}
	}
	fmt.Print("};\n\n#endif\n")
}
