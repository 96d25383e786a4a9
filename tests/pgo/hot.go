// SPDX-License-Identifier: Apache-2.0

// hot writes a CPU profile in which calls of one package are hot that the arguments name, so that a build with it
// (go build -pgo) inlines them: hot OUTPUT GOROOT/src/PACKAGE CALLER:CALLEE... Both may be functions or methods; CALLER.func
// is the function literals in CALLER. Calls that the release does not have are left out; what was found is printed.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

type call struct {
	caller, callee string // the linker's names
	callerLine     int    // where the caller begins
	calleeLine, at int
	file           string
}

// protobuf, as much of it as a profile needs
type message struct{ bytes.Buffer }

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		m.WriteByte(byte(v) | 0x80)
	}
	m.WriteByte(byte(v))
}

func (m *message) number(field int, v uint64) {
	m.varint(uint64(field) << 3)
	m.varint(v)
}

func (m *message) bytes(field int, b []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(b)))
	m.Write(b)
}

type profile struct {
	message
	strings   []string
	locations uint64
}

func (p *profile) text(s string) uint64 {
	for i, t := range p.strings {
		if t == s {
			return uint64(i)
		}
	}
	p.strings = append(p.strings, s)
	return uint64(len(p.strings) - 1)
}

// location adds a place in a function, with the function: both have the same number.
func (p *profile) location(name, file string, start, line int) uint64 {
	p.locations++
	id := p.locations
	var fn, ln, loc message
	fn.number(1, id)
	fn.number(2, p.text(name))
	fn.number(3, p.text(name))
	fn.number(4, p.text(file))
	fn.number(5, uint64(start))
	p.bytes(5, fn.Bytes())
	ln.number(1, id)
	ln.number(2, uint64(line))
	loc.number(1, id)
	loc.number(2, 1)
	loc.number(3, 0x1000+id)
	loc.bytes(4, ln.Bytes())
	p.bytes(4, loc.Bytes())
	return id
}

func (p *profile) sample(c call) {
	leaf := p.location(c.callee, c.file, c.calleeLine, c.calleeLine+1)
	caller := p.location(c.caller, c.file, c.callerLine, c.at)
	var s message
	s.number(1, leaf)
	s.number(1, caller)
	s.number(2, 1000)
	s.number(2, 10000000000)
	p.bytes(2, s.Bytes())
}

func (p *profile) valueType(field int, kind, unit string) {
	var v message
	v.number(1, p.text(kind))
	v.number(2, p.text(unit))
	p.bytes(field, v.Bytes())
}

func write(path string, calls []call) error {
	p := &profile{strings: []string{""}}
	p.valueType(1, "samples", "count")
	p.valueType(1, "cpu", "nanoseconds")
	var mapping message
	mapping.number(1, 1)
	mapping.number(3, 1<<40)
	mapping.number(7, 1)
	p.bytes(3, mapping.Bytes())
	for _, c := range calls {
		p.sample(c)
	}
	p.valueType(11, "cpu", "nanoseconds")
	p.number(12, 10000000)
	for _, s := range p.strings {
		p.bytes(6, []byte(s))
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	z.Write(p.Bytes())
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

// of the source
var pkg string

func linkName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return pkg + "." + fn.Name.Name
	}
	switch t := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return fmt.Sprintf("%s.(*%s).%s", pkg, t.X, fn.Name.Name)
	default:
		return fmt.Sprintf("%s.%s.%s", pkg, t, fn.Name.Name)
	}
}

type source struct {
	set   *token.FileSet
	funcs map[string][]*ast.FuncDecl // by plain name
}

func load(dir string) source {
	s := source{token.NewFileSet(), map[string][]*ast.FuncDecl{}}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.set, name, nil, 0)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				s.funcs[fn.Name.Name] = append(s.funcs[fn.Name.Name], fn)
			}
		}
	}
	return s
}

func calleeName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// body is the code of a function, or of a literal in it ("name.func1").
type body struct {
	name string
	node *ast.BlockStmt
	line int
}

// bodies finds the functions of a plain name; "name.func" means the literals in it.
func (s source) bodies(name string) (found []body) {
	plain := strings.TrimSuffix(name, ".func")
	for _, fn := range s.funcs[plain] {
		if plain == name {
			found = append(found, body{linkName(fn), fn.Body, s.set.Position(fn.Pos()).Line})
			continue
		}
		n := 0
		inspect(fn.Body, func(lit *ast.FuncLit) {
			n++
			found = append(found, body{fmt.Sprintf("%s.func%d", linkName(fn), n), lit.Body,
				s.set.Position(lit.Pos()).Line})
		}, nil)
	}
	return found
}

// inspect visits the calls and literals of a body, but not what is inside a literal.
func inspect(b *ast.BlockStmt, literal func(*ast.FuncLit), call func(*ast.CallExpr)) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if literal != nil {
				literal(n)
			}
			return false
		case *ast.CallExpr:
			if call != nil {
				call(n)
			}
		}
		return true
	})
}

// calls finds where the one calls the other.
func (s source) calls(caller, callee string) (found []call) {
	for _, target := range s.funcs[callee] {
		for _, b := range s.bodies(caller) {
			inspect(b.node, nil, func(c *ast.CallExpr) {
				if calleeName(c) == callee {
					found = append(found, call{b.name, linkName(target), b.line,
						s.set.Position(target.Pos()).Line, s.set.Position(c.Pos()).Line,
						s.set.Position(c.Pos()).Filename})
				}
			})
		}
	}
	return found
}

func main() {
	var all []call
	_, pkg, _ = strings.Cut(os.Args[2], "/src/")
	src := load(os.Args[2])
	for _, pair := range os.Args[3:] {
		names := strings.SplitN(pair, ":", 2)
		found := src.calls(names[0], names[1])
		for _, c := range found {
			fmt.Println(c.caller, c.callee, c.at)
		}
		all = append(all, found...)
	}
	if err := write(os.Args[1], all); err != nil {
		fmt.Fprintln(os.Stderr, "hot:", err)
		os.Exit(1)
	}
}
