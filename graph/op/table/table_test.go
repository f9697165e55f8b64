package table

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/op"
)

const (
	tablePage  = "../../../docs/manual/operators.md"
	tableBegin = "<!-- the table is made of graph/op's rows: go test ./graph/op/table -run TestOperatorTable -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// TestReferences: every row has a reference of its own, which is not computed by its program.
func TestReferences(t *testing.T) {
	for _, list := range tables {
		for _, r := range list {
			if r.Eval == nil {
				t.Errorf("%s of version %d has none", r.Op, r.Since)
			}
		}
	}
}

// TestOperatorTable: docs/manual/operators.md has the table of operators that the rows say; -update writes it.
func TestOperatorTable(t *testing.T) {
	data, err := os.ReadFile(tablePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableBegin)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s does not have the lines around the table", tablePage)
	}
	want := operatorTable()
	if old == want {
		return
	}
	if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
		t.Fatalf("the table of %s is not what the rows say; "+
			"'go test ./graph/op/table -run TestOperatorTable -update' writes it", tablePage)
	}
	if err := os.WriteFile(tablePage, []byte(before+tableBegin+want+tableEnd+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// operatorTable is the table of all operators but those that only passes make.
func operatorTable() string {
	byName := map[string][]*op.Row{}
	var names []string
	for _, list := range tables {
		for i := range list {
			r := &list[i]
			if strings.HasPrefix(r.Op, "wmtune.") {
				continue
			}
			if byName[r.Op] == nil {
				names = append(names, r.Op)
			}
			byName[r.Op] = append(byName[r.Op], r)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%d operators:\n\n| operator | from version | becomes | notes |\n| --- | --- | --- | --- |\n",
		len(names))
	for _, name := range names {
		var since []string
		for _, r := range byName[name] {
			version := "any"
			if r.Since > 0 {
				version = fmt.Sprint(r.Since)
			}
			since = append(since, version)
		}
		r := byName[name][len(since)-1]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, strings.Join(since, ", "), becomes(r),
			strings.Join(notes(r), "; "))
	}
	return b.String()
}

// becomes says what makes the program of the row's nodes.
func becomes(r *op.Row) string {
	switch {
	case r.Opaque != nil && r.Opaque.When == nil && !r.Opaque.Alone:
		return "function by hand"
	case r.Decompose != nil:
		return "other operators"
	case r.Has(op.Alias):
		return "nothing: the same memory"
	case r.Body != nil:
		return "compute DAG, " + r.Class.String()
	case r.Enter != nil:
		return "steps that run its graphs"
	}
	return "a constant"
}

// notes says what else is to be known.
func notes(r *op.Row) []string {
	var list []string
	if r.Opaque != nil && r.Opaque.Alone {
		list = append(list, "function by hand where it stands alone")
	} else if r.Opaque != nil && r.Opaque.When != nil {
		list = append(list, "function by hand if operands are known at run time only")
	}
	if r.Opaque != nil && r.Opaque.Update != nil {
		list = append(list, "in place where it is safe")
	}
	if r.Body == nil && r.Decompose == nil && r.Opaque == nil && r.Enter == nil && !r.Has(op.Alias) {
		list = append(list, "inputs must be known at compile time")
	}
	return list
}
