package compile

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
)

var changedFiles = flag.Int("changed", 1500, "ONNX files with changes that are read")

// TestChangedFiles reads ONNX files of which some fields are changed, and divides what they hold into tasks: no fault
// of a file is a panic, or an error that says BUG. The files are those of package onnx, and ONNX's node cases where
// WMTUNE_NODE_CASES names their folder.
func TestChangedFiles(t *testing.T) {
	paths, err := filepath.Glob("../onnx/testdata/*.onnx")
	if dir := os.Getenv("WMTUNE_NODE_CASES"); err == nil && dir != "" {
		var more []string
		more, err = filepath.Glob(filepath.Join(dir, "*", "model.onnx"))
		paths = append(paths, more...)
	}
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no files", err)
	}
	files := make([][]byte, len(paths))
	for i, path := range paths {
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	var g errgroup.Group
	g.SetLimit(2)
	started, read := time.Now(), make([]bool, *changedFiles)
	for i := range *changedFiles {
		g.Go(func() error {
			var err error
			file := i % len(files)
			if read[i], err = readChanged(t, changedFile(files[file], rand.New(rand.NewPCG(uint64(i), 5)))); err != nil {
				t.Errorf("%s, change %d: %v", paths[file], i, err)
			}
			return nil
		})
	}
	_ = g.Wait() // the functions return nil
	right := 0
	for _, r := range read {
		if r {
			right++
		}
	}
	t.Logf("%d files in %s, of which %d have tasks", *changedFiles, time.Since(started).Round(time.Second), right)
}

// readChanged reports whether a file becomes tasks. A panic and an error that says BUG are errors.
func readChanged(t *testing.T, b []byte) (read bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil && !strings.Contains(err.Error(), "BUG") && !strings.Contains(err.Error(), "panic") {
			err = nil
		}
	}()
	g, err := onnx.Decode(b, onnx.Options{})
	if err != nil {
		return false, err
	}
	for _, v := range g.Inputs {
		for d := range v.Shape {
			if v.Shape[d] == graph.Open {
				v.Shape[d] = 2
			}
		}
		if !v.Known() {
			return false, nil
		}
	}
	_, err = New(t.Context(), g, pass.Options{Check: true, Limit: op.Limit{Memory: 256e6, Time: 2 * time.Second}})
	return err == nil, err
}

// A wire is a field of a message: a number, bytes, or fields.
type wire struct {
	id     protowire.Number
	kind   protowire.Type
	value  uint64
	bytes  []byte
	fields []*wire // nil: it is no message
}

// parseWire returns the fields of a message, and whether b is one.
func parseWire(b []byte) (list []*wire, ok bool) {
	for len(b) > 0 {
		id, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, false
		}
		w := &wire{id: id, kind: kind}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			w.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			w.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(id, kind, b)
			w.bytes = b[:max(n, 0)]
		}
		if n < 0 {
			return nil, false
		}
		b = b[n:]
		if kind == protowire.BytesType && len(w.bytes) > 1 {
			w.fields, _ = parseWire(w.bytes)
		}
		list = append(list, w)
	}
	return list, true
}

func appendWire(b []byte, list []*wire) []byte {
	for _, w := range list {
		b = protowire.AppendTag(b, w.id, w.kind)
		switch {
		case w.kind == protowire.VarintType:
			b = protowire.AppendVarint(b, w.value)
		case w.fields != nil:
			b = protowire.AppendBytes(b, appendWire(nil, w.fields))
		case w.kind == protowire.BytesType:
			b = protowire.AppendBytes(b, w.bytes)
		default:
			b = append(b, w.bytes...)
		}
	}
	return b
}

// wireLists returns the lists that have fields, by how deep they lie.
func wireLists(list *[]*wire) []*[]*wire {
	found := []*[]*wire{list}
	for _, w := range *list {
		if w.fields != nil {
			found = append(found, wireLists(&w.fields)...)
		}
	}
	return found
}

// changedFile returns a file with one to three changes.
func changedFile(file []byte, r *rand.Rand) []byte {
	list, ok := parseWire(file)
	if !ok {
		return file
	}
	for range 1 + r.IntN(3) {
		all := wireLists(&list)
		at := all[r.IntN(len(all))]
		if len(*at) == 0 {
			continue
		}
		i := r.IntN(len(*at))
		w := *(*at)[i]
		(*at)[i] = &w
		other := *all[r.IntN(len(all))]
		switch {
		case r.IntN(12) == 0:
			*at = slices.Delete(slices.Clone(*at), i, i+1)
		case r.IntN(12) == 0:
			*at = slices.Insert(slices.Clone(*at), i, &w)
		case r.IntN(8) == 0 && len(other) > 0: // another field of its kind
			if o := other[r.IntN(len(other))]; o.kind == w.kind {
				if w.value, w.bytes = o.value, o.bytes; o.fields != nil {
					w.bytes = appendWire(nil, o.fields)
				}
				w.fields = nil
			}
		case w.kind == protowire.VarintType:
			w.value = changedNumber(w.value, r)
		case w.fields == nil && len(w.bytes) > 0:
			w.bytes = slices.Clone(w.bytes)
			switch k := r.IntN(len(w.bytes)); r.IntN(4) {
			case 0:
				w.bytes = w.bytes[:k]
			case 1:
				w.bytes[k] = byte(changedNumber(uint64(w.bytes[k]), r))
			default: // the same field elsewhere: another name, type or operator
				for _, o := range other {
					if o.id == w.id && o.fields == nil {
						w.bytes = o.bytes
					}
				}
			}
		}
	}
	return appendWire(nil, list)
}

func changedNumber(v uint64, r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return v + 1
	case 1:
		return v - 1
	case 2:
		return 1 << r.IntN(64)
	case 3:
		return -(1 << r.IntN(64))
	}
	return r.Uint64N(18)
}
