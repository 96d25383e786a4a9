// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// Releases of which there is the source, but no compiler: package runtime is type-checked, and its structs are laid
// out by the compiler's rules. For the releases that have both, this gives what DWARF says.

// What a build tag decides about the structs: the experiments that were on by default in some release.
var experiments = strings.Fields("regabi regabireflect regabiwrappers regabiargs pacerredesign coverageredesign " +
	"exectracer2 allocheaders swissmap aliastypeparams spinbitmutex greenteagc")

// source imports packages of a source tree, without the bodies of functions.
type source struct {
	tree  build.Context
	files *token.FileSet
	done  map[string]*types.Package
	sizes types.Sizes
}

func newSource(root string, minor int) *source {
	s := &source{build.Default, token.NewFileSet(), map[string]*types.Package{}, types.SizesFor("gc", "amd64")}
	s.tree.GOROOT, s.tree.GOOS, s.tree.GOARCH, s.tree.CgoEnabled = root, "linux", "amd64", false
	s.tree.ReleaseTags, s.tree.ToolTags = nil, nil
	for i := 1; i <= minor; i++ {
		s.tree.ReleaseTags = append(s.tree.ReleaseTags, fmt.Sprintf("go1.%d", i))
	}
	for _, name := range experiments {
		s.tree.ToolTags = append(s.tree.ToolTags, "goexperiment."+name)
	}
	return s
}

func (s *source) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.done[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(s.tree.GOROOT, "src", path)
	list, err := s.tree.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range list.GoFiles {
		file, err := parser.ParseFile(s.files, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	// Constants that the build of Go writes into files of its own are missing; no struct depends on them.
	conf := types.Config{Importer: s, IgnoreFuncBodies: true, FakeImportC: true, Sizes: s.sizes, Error: func(error) {}}
	s.done[path], _ = conf.Check(path, s.files, files, nil)
	return s.done[path], nil
}

func (s *source) pathOffset(t types.Type, path string) (int64, bool) {
	var sum int64
	for _, name := range strings.Split(path, ".") {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return 0, false
		}
		var fields []*types.Var
		at := -1
		for i := 0; i < st.NumFields(); i++ {
			fields = append(fields, st.Field(i))
			if st.Field(i).Name() == name {
				at = i
			}
		}
		if at < 0 {
			return 0, false
		}
		sum += s.sizes.Offsetsof(fields)[at]
		t = fields[at].Type()
	}
	return sum, true
}

func (s *source) offset(runtime *types.Package, f field) (int64, bool) {
	object := runtime.Scope().Lookup(strings.TrimPrefix(f.typ, "runtime."))
	if object == nil {
		return 0, false
	}
	for _, path := range strings.Split(f.path, "|") {
		if sum, ok := s.pathOffset(object.Type(), path); ok {
			return sum, true
		}
	}
	return 0, false
}

// writeSource writes the row of a source tree named go1.NN.
func writeSource(root string, fields []field) {
	var minor int
	if _, err := fmt.Sscanf(filepath.Base(root), "go1.%d", &minor); err != nil {
		log.Fatalf("%s is not named go1.NN", root)
	}
	version := filepath.Base(root)
	if text, err := os.ReadFile(filepath.Join(root, "VERSION")); err == nil {
		version, _, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
	}
	s := newSource(root, minor)
	runtime, err := s.Import("runtime")
	if err != nil {
		log.Fatal(err)
	}
	writeRow(version+", sources", minor, fields, func(f field) (int64, bool) { return s.offset(runtime, f) })
}
