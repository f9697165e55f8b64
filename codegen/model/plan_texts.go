package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// several reports whether a run is told extents.
func (n *names) several() bool { return len(n.Program.Plans) > 0 }

// varies reports whether an extent of a port is that of a dimension.
func (p portName) varies() bool {
	return slices.ContainsFunc(p.Dims, func(name string) bool { return name != "" })
}

// planWords are the words of the header on plans; of a program for one shape they are empty.
func (n *names) planWords() map[string]string {
	if !n.several() {
		return map[string]string{"PLANS": "", "DIMENSIONS": "", "AT_MOST": "", "_DIMS": "", "EXTENTS": "", "DIMS": "",
			"FOR": "", "STATE": "",
			"BYTES": string(fillTemplate("bytes.h", map[string]string{"NAME": n.name}))}
	}
	var plans, list strings.Builder
	plans.WriteString(" *\n * A run is told extents. For which there are plans, and how many bytes they use:\n")
	for _, p := range n.Program.Plans {
		fmt.Fprintf(&plans, " *   %s: %d\n", inComment(p.ServesText(n.Program.Dims)), p.Arena)
	}
	for _, s := range n.Program.Sums {
		if s.IsNamed() {
			fmt.Fprintf(&plans, " * %s is %s.\n", inComment(s.Name), inComment(s.Text()))
		}
	}
	if n.Program.State != nil && len(n.Program.Sums) > 0 {
		fmt.Fprintf(&plans, " * %s is the number of rows before a run.\n", inComment(n.length()))
	}
	list.WriteString("/* The dimensions, in the order in which functions take their extents. */\nenum {\n")
	for i, c := range n.dimNames() {
		fmt.Fprintf(&list, "\t%s_DIM_%s", n.name, c)
		if name := n.Program.Dims[i]; name != c {
			fmt.Fprintf(&list, ", /* the model calls it %q */\n", inComment(name))
			continue
		}
		list.WriteString(",\n")
	}
	fmt.Fprintf(&list, "\t%s_DIMS\n};\n\n", n.name)
	checks := n.checks()
	fmt.Fprintf(&list, "/* What %s_run_dims returns if no plan serves the extents. */\n#define %[1]s_NO_PLAN %d\n\n",
		n.name, checks+1)
	state := ""
	if s := n.Program.State; s != nil {
		state = string(fillTemplate("state.h", map[string]string{"NAME": n.name, "MAX": fmt.Sprint(s.Max),
			"FULL": fmt.Sprint(checks + 2)}))
	}
	return map[string]string{
		"STATE": state,
		"PLANS": plans.String(), "DIMENSIONS": list.String(), "AT_MOST": " at the largest extents", "_DIMS": "_dims",
		"EXTENTS": "const int64_t *dims, ", "DIMS": "dims, ",
		"FOR":   " for these extents: those of " + n.name + "_DIMS dimensions",
		"BYTES": string(fillTemplate("bytes_dims.h", map[string]string{"NAME": n.name})),
	}
}

// length is the name of the dimension that is the number of rows of a state before a run; "" if there is no state.
func (n *names) length() string {
	if n.Program.State == nil {
		return ""
	}
	return n.Program.Dims[len(n.Program.Dims)-1]
}

// grows reports whether extents of a port follow from the number of rows of a state.
func (n *names) grows(p portName) bool {
	return slices.ContainsFunc(n.Program.Sums, func(s Sum) bool {
		return slices.Contains(p.Dims, s.Name) && slices.ContainsFunc(s.Of, func(t Term) bool { return t.Dim == n.length() })
	})
}

// dimNames returns what C calls the dimensions.
func (n *names) dimNames() []string { return cNames(n.Program.Told()) }

// checks returns how many checks the plans have.
func (n *names) checks() int {
	checks := 0
	for _, p := range n.Program.Plans {
		checks += countChecks(p.Steps)
	}
	return checks
}

// most returns the largest extents of the dimensions.
func (n *names) most() []int64 {
	most := make([]int64, len(n.Program.Told()))
	for _, p := range n.Program.Plans {
		for k := range most {
			most[k] = max(most[k], p.Most[k])
		}
	}
	return most
}

// countChecks counts the checks among steps.
func countChecks(steps []Step) int {
	n := 0
	for _, s := range steps {
		switch s := s.(type) {
		case Check:
			n++
		case If:
			n += countChecks(s.Then) + countChecks(s.Else)
		case Loop:
			n += countChecks(s.Body)
		}
	}
	return n
}

// exampleDims declares the extents of the example in C: the largest.
func (n *names) exampleDims() string {
	var b strings.Builder
	for k, c := range n.dimNames() {
		fmt.Fprintf(&b, "\t\t[%s_DIM_%s] = %d,\n", n.name, c, n.most()[k])
	}
	if b.Len() == 0 {
		return "\tconst int64_t *dims = NULL; /* there are none */\n"
	}
	return fmt.Sprintf("\tint64_t dims[%s_DIMS] = { /* the largest */\n%s\t};\n", n.name, b.String())
}

// goElements is the number of elements of a tensor in the example in Go.
func (n *names) goElements(p portName, tensor int) string {
	if !n.several() {
		return fmt.Sprint(p.Elements())
	}
	if n.grows(p) { // m.size has the most
		text := "int(1"
		for d, extent := range p.Shape {
			text += "*" + n.goExtent(p, d, extent)
		}
		return text + ")"
	}
	return fmt.Sprintf("m.size(extents, %d, %d)", tensor, p.Type.Bytes())
}

// goExtent is an extent of a port in the example in Go.
func (n *names) goExtent(p portName, d int, extent int64) string {
	k := n.Program.dim(p.Port, d)
	switch {
	case k < 0:
		return fmt.Sprint(extent)
	case k < len(n.Program.Told()):
		return fmt.Sprintf("extents[%d]", k)
	}
	s := n.Program.Sums[k-len(n.Program.Dims)]
	for i, t := range s.Of {
		s.Of = slices.Clone(s.Of)
		if s.Of[i].Dim = "m.Length()"; t.Dim != n.length() {
			s.Of[i].Dim = fmt.Sprintf("extents[%d]", slices.Index(n.Program.Dims, t.Dim))
		}
	}
	return "(" + s.Text() + ")"
}

// first returns how many elements a port has at the largest extents, and at the first run with a state.
func (n *names) first(p portName) int64 {
	if !n.grows(p) {
		return p.Elements()
	}
	count, extents := int64(1), append(n.most(), 0)
	for d, e := range p.Shape {
		if n.Program.dim(p.Port, d) >= 0 {
			e, _ = n.Program.Extent(p.Dims[d], extents)
		}
		count *= e
	}
	return count
}

// goPlanWords are the words of the example in Go on plans; of a program for one shape they are empty.
func (n *names) goPlanWords() map[string]string {
	words := map[string]string{}
	for _, word := range []string{"RUN_EXTENTS", "_DIMS", "REGISTER", "BYTES_FIELD", "FOR", "EXTENTS", "CHECK", "DIMS",
		"SIZE", "MOST", "STATE", "RESET"} {
		words[word] = ""
	}
	if !n.several() {
		return words
	}
	most := strings.Trim(strings.ReplaceAll(fmt.Sprint(n.most()), " ", ", "), "[]")
	maps.Copy(words, map[string]string{
		"RUN_EXTENTS": "extents *int64, ", "_DIMS": "_dims",
		"BYTES_FIELD": "\tbytes func(extents *int64, tensor int32) int64\n",
		"REGISTER":    "\tpurego.RegisterLibFunc(&m.bytes, lib, \"" + n.name + "_bytes_dims\")\n",
		"FOR": fmt.Sprintf(` for extents of %s, which must be what the arrays have: there are plans for
// %s`, strings.Join(n.Program.Told(), ", "), PlansText(n.Program.Dims, n.Program.Plans)),
		"EXTENTS": "extents []int64, ", "DIMS": "unsafe.SliceData(extents), ",
		"MOST": "[]int64{" + most + "}, ",
		"CHECK": fmt.Sprintf("\tif len(extents) != %d {\n\t\tpanic(\"want an extent for each dimension\")\n\t}\n",
			len(n.Program.Told())),
		"SIZE": `// size returns how many elements, of so many bytes, a tensor has at most.
func (m *Model) size(extents []int64, tensor int32, item int64) int {
	return max(int(m.bytes(unsafe.SliceData(extents), tensor)/item), 0)
}

`,
	})
	if n.Program.State != nil {
		words["BYTES_FIELD"] += "\tlength func(context uintptr) int64\n\ttruncate func(context uintptr, rows int64) int32\n"
		for _, f := range []string{"length", "truncate"} {
			words["REGISTER"] += fmt.Sprintf("\tpurego.RegisterLibFunc(&m.%s, lib, \"%s_%[1]s\")\n", f, n.name)
		}
		words["STATE"] = string(fillTemplate("state.go", map[string]string{"NAME": n.name}))
		words["RESET"] = "\t\tif err := m.Truncate(0); err != nil {\n\t\t\treturn err\n\t\t}\n"
	}
	return words
}

// pythonShape writes the shape of an input in Python: names stand for extents that a run finds.
func (p portName) pythonShape() string {
	if !p.varies() {
		return tuple(p.Shape)
	}
	var b strings.Builder
	for d, n := range p.Shape {
		if text := fmt.Sprint(n); p.Dims[d] == "" {
			b.WriteString(text + ", ")
		} else {
			b.WriteString(pythonString(p.Dims[d]) + ", ")
		}
	}
	return "(" + strings.TrimSuffix(b.String(), " ") + ")"
}

// pythonPlanWords are the words of the example in Python on plans; of a program for one shape they say nothing.
func (n *names) pythonPlanWords() map[string]string {
	if !n.several() {
		return map[string]string{"STATE": "", "RESET": "", "DIM_NOTE": "", "_DIMS": "", "POINTERS": "3", "MATCH": "",
			"EXTENTS": "", "NO_EXTENTS": "", "SUMS": "",
			"DIMS": "", "MOST": "", "SIZES": ""}
	}
	var names, most []string
	for k, name := range n.Program.Told() {
		names = append(names, pythonString(name))
		most = append(most, fmt.Sprintf("%s: %d", pythonString(name), n.most()[k]))
	}
	state, reset := "", ""
	if n.Program.State != nil {
		state, reset = string(fillTemplate("state.py", map[string]string{"NAME": n.name})), "            model.truncate(0)\n"
	}
	if len(names) > 0 {
		names[len(names)-1] += ","
	}
	known, note, sums, sizes := "", "", "", "        shape = tuple(sizes.get(at, at) for at in shape)\n"
	if len(n.Program.Sums) > 0 {
		note, sums = n.pythonSums(), pythonSumsCheck
		sizes = "        found = {" + n.pythonLength("0") + "**sizes}\n" +
			"        shape = tuple(total(at, found) if at in SUMS else found.get(at, at) for at in shape)\n"
		known = n.pythonLength("self.length()")
	}
	return map[string]string{
		"STATE": state, "RESET": reset,
		"DIM_NOTE": "# Dimensions whose extents a run finds in its inputs. There are plans for\n# " +
			PlansText(n.Program.Dims, n.Program.Plans) + ".\nDIMS = (" + strings.Join(names, ", ") + ")\n\n" + note,
		"_DIMS": "_dims", "POINTERS": "4", "EXTENTS": ", extents", "SUMS": sums,
		"NO_EXTENTS": ", {" + strings.TrimSuffix(known, ", ") + "}",
		"MATCH": `            if len(shape) == array.ndim:
                for at, size in zip(shape, array.shape):
                    if isinstance(at, str) and extents.setdefault(at, size) != size:
                        raise ValueError("dimension %s is %d and %d" % (shown(at), extents[at], size))
            shape = tuple(extents.get(at, at) for at in shape)
`,
		"DIMS":  "(ctypes.c_int64 * len(DIMS))(*[extents[name] for name in DIMS]), ",
		"MOST":  "sizes={" + strings.ReplaceAll(strings.Join(most, ", "), "@", "") + "}, ",
		"SIZES": sizes,
	}
}

// pythonSumsCheck makes sure, in the example in Python, that arrays have the extents that sums are.
const pythonSumsCheck = `        for name in SUMS:
            if extents.get(name, total(name, extents)) != total(name, extents):
                raise ValueError("dimension %s is %d, not %d" % (shown(name), extents[name], total(name, extents)))
`

// pythonSums defines the sums in the example in Python.
func (n *names) pythonSums() string {
	var b strings.Builder
	b.WriteString("# Extents that are sums: a number, and how often each dimension is in them.\nSUMS = {\n")
	for _, s := range n.Program.Sums {
		fmt.Fprintf(&b, "    %s: (%d, {", pythonString(s.Name), s.Plus)
		for i, t := range s.Of {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s: %d", pythonString(t.Dim), t.Times)
		}
		b.WriteString("}),\n")
	}
	b.WriteString(`}


def total(name, extents):
    """Returns the extent that is a sum."""
    plus, of = SUMS[name]
    return plus + sum(times * extents[dim] for dim, times in of.items())


`)
	return b.String()
}

// pythonLength is an entry of a dict, the number of rows of a state; "" if there is no state.
func (n *names) pythonLength(rows string) string {
	if n.Program.State == nil {
		return ""
	}
	return pythonString(n.length()) + ": " + rows + ", "
}
