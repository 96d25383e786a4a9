// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// The numbers that the runtime of a release gives to its reasons, from the sources of package runtime: the constants of
// type waitReason, which records carry, and the texts of stwReason, which the trace carries.

// reasons is what one release has; the index is the number.
type reasons struct {
	minor int
	waits []string // names without "waitReason"
	stws  []string // texts; none up to Go 1.20
}

// constants returns the names of the const block whose first value has that type, by their iota.
func constants(files []*ast.File, typ string) (names []string) {
	each(files, token.CONST, func(d *ast.GenDecl) {
		first := d.Specs[0].(*ast.ValueSpec)
		if t, ok := first.Type.(*ast.Ident); !ok || t.Name != typ || len(first.Values) == 0 {
			return
		}
		for _, spec := range d.Specs {
			names = append(names, spec.(*ast.ValueSpec).Names[0].Name)
		}
	})
	return names
}

// texts returns the elements of the array variable name, whose keys are the constants names.
func texts(files []*ast.File, name string, names []string) []string {
	out := make([]string, len(names))
	each(files, token.VAR, func(d *ast.GenDecl) {
		spec := d.Specs[0].(*ast.ValueSpec)
		if spec.Names[0].Name != name {
			return
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			kv := e.(*ast.KeyValueExpr)
			text, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
			if err != nil {
				log.Fatal(err)
			}
			for i, n := range names {
				if n == kv.Key.(*ast.Ident).Name {
					out[i] = text
				}
			}
		}
	})
	return out
}

func each(files []*ast.File, tok token.Token, f func(*ast.GenDecl)) {
	for _, file := range files {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == tok && len(d.Specs) > 0 {
				f(d)
			}
		}
	}
}

func readReasons(root string) reasons {
	r := reasons{}
	if _, err := fmt.Sscanf(filepath.Base(root), "go1.%d", &r.minor); err != nil {
		log.Fatalf("%s: not a folder named go1.NN", root)
	}
	var files []*ast.File
	for _, name := range []string{"runtime2.go", "proc.go"} {
		path := filepath.Join(root, "src/runtime", name)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, file)
	}
	for _, name := range constants(files, "waitReason") {
		r.waits = append(r.waits, strings.TrimPrefix(name, "waitReason"))
	}
	if len(r.waits) == 0 {
		log.Fatalf("%s: no constants of type waitReason", root)
	}
	stws := constants(files, "stwReason")
	r.stws = texts(files, "stwReasonStrings", stws)
	if r.minor > 20 && len(stws) == 0 {
		log.Fatalf("%s: no constants of type stwReason", root)
	}
	return r
}

// writeLists writes one array for each distinct list, and a table of them by release.
func writeLists(all []reasons, name, typ string, list func(reasons) []string, item func(string) string) {
	of := map[int]int{} // release -> the first one with the same list
	for i, r := range all {
		if len(list(r)) == 0 {
			continue
		}
		of[r.minor] = r.minor
		if i > 0 && reflect.DeepEqual(list(all[i-1]), list(r)) {
			of[r.minor] = of[all[i-1].minor]
			continue
		}
		fmt.Printf("static %s%s_%d[] = {\n", typ, name, r.minor)
		for _, s := range list(r) {
			fmt.Printf("\t%s,\n", item(s))
		}
		fmt.Print("};\n\n")
	}
	fmt.Printf("static const struct { %s*of; unsigned int n; } %s_by_minor[] = {\n", typ, name)
	for _, r := range all {
		if first, ok := of[r.minor]; ok {
			fmt.Printf("\t[%d] = { %s_%d, %d },\n", r.minor, name, first, len(list(r)))
		}
	}
	fmt.Print("};\n\n")
}

func writeReasons(roots []string) {
	var all []reasons
	for _, root := range roots {
		all = append(all, readReasons(root))
	}
	fmt.Print(`/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of runtime.waitReason and runtime.stwReason by Go release (1.NN): written by
 * tools/gen-offsets from the sources of the releases, not by hand. A wait reason that
 * waitreason.def does not have is an error of the build.
 */
#ifndef GOTAP_RELEASE_REASON_TABLE_H
#define GOTAP_RELEASE_REASON_TABLE_H

`)
	writeLists(all, "wait", "const unsigned char ", func(r reasons) []string { return r.waits },
		func(s string) string { return "WAIT_" + s })
	writeLists(all, "stw", "const char *const ", func(r reasons) []string { return r.stws }, strconv.Quote)
	fmt.Print("#endif\n")
}
