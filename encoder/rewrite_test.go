package encoder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// texts returns the golden programs of tir/compact.
func texts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../tir/compact/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	list := []string{product}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(b), "\n\n") { // of an example: its title, its task, its steps
			if _, text, ok := strings.Cut(part, "]\nb0 "); ok {
				list = append(list, "b0 "+strings.TrimSuffix(text, "\n")+"\n")
			}
		}
	}
	return list
}

// first gives names by the order of first use.
func first(text string) string {
	names := map[string]string{}
	next := map[byte]int{}
	var b strings.Builder
	for i := 0; i < len(text); {
		name := symbol(text, i)
		if name == "" {
			b.WriteByte(text[i])
			i++
			continue
		}
		if names[name] == "" {
			names[name] = string(name[0]) + strconv.Itoa(next[name[0]])
			next[name[0]]++
		}
		b.WriteString(names[name])
		i += len(name)
	}
	return b.String()
}

// steps lists what happens to each buffer, in order: of each statement that writes it
// or reads it, the loops around it and itself. Reads between two writes are sorted.
func steps(text string) string {
	perBuffer := map[string][]string{}
	var around []string
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		around = append(around[:min(depth, len(around))], content)
		n := node{line: content}
		n.effects()
		for _, b := range sorted(n.writes) {
			perBuffer[b] = append(perBuffer[b], "write "+strings.Join(around, ";"))
		}
		for _, b := range sorted(n.reads) {
			if b[0] == 'b' && !n.writes[b] {
				perBuffer[b] = append(perBuffer[b], "read "+strings.Join(around, ";"))
			}
		}
	}
	var out strings.Builder
	for _, b := range slices.Sorted(keys(perBuffer)) {
		list := perBuffer[b]
		for i := 0; i < len(list); i++ {
			end := i
			for end < len(list) && strings.HasPrefix(list[end], "read") {
				end++
			}
			slices.Sort(list[i:end])
			i = max(i, end-1)
		}
		fmt.Fprintln(&out, b, strings.Join(list, "\n   "))
	}
	return out.String()
}

func sorted(set map[string]bool) []string { return slices.Sorted(keys(set)) }

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Neighbours change places only if each buffer sees the same in the same order, and
// renaming is one to one.
func TestRewriteKeepsMeaning(t *testing.T) {
	moved := 0
	for _, text := range texts(t) {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 1))
			root := &node{in: parse(text)}
			var b strings.Builder
			for _, n := range root.in {
				n.print(&b, 0)
			}
			if b.String() != text {
				t.Fatalf("parsed and printed:\n%s\nwant\n%s", b.String(), text)
			}
			root.effects()
			shuffle(root.in, rng)
			b.Reset()
			for _, n := range root.in {
				n.print(&b, 0)
			}
			if b.String() != text {
				moved++
			}
			if got, want := steps(b.String()), steps(text); got != want {
				t.Fatalf("seed %d: buffers see\n%s\nbefore\n%s\nof\n%s", seed, got, want, text)
			}
			if renamed := rename(text, rng); first(renamed) != first(text) {
				t.Fatalf("renamed to\n%s\nfrom\n%s", renamed, text)
			}
			if a, b := ReadFacts(text), ReadFacts(Rewrite(text, rng)); a[0] != b[0] || a[1] != b[1] || a[6] != b[6] {
				t.Errorf("the rewriting has other facts: %v, not %v", b, a)
			}
		}
	}
	if moved < 10 {
		t.Errorf("only %d programs have lines that moved", moved)
	}
}

func TestRewriteRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"b0[l0]=1.0", "b1[l0]=b0[l0]"}, // needs the first
		{"b1[l0]=b0[l0]", "b0[l0]=1.0"}, // the first needs what was before
		{"b0[l0]=1.0", "b0[l0]=2.0"},
		{"alloc b0 f32[2]", "b0[0]=1.0"},
		{"b0[l0]=1.0", "barrier shared"},
	} {
		a, b := &node{line: c[0]}, &node{line: c[1]}
		a.effects()
		b.effects()
		if independent(a, b) {
			t.Errorf("%s and %s may change places", c[0], c[1])
		}
	}
	a, b := &node{line: "b0[l0]=b2[l0]"}, &node{line: "b1[l0]=b2[l0]"}
	a.effects()
	b.effects()
	if !independent(a, b) {
		t.Error("two that only read one buffer may not change places")
	}
}
