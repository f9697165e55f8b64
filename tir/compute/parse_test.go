package compute

import (
	"os"
	"strings"
	"testing"
)

// Two inputs and an op stand before the line under test, which is line 4.
const before = "input x: float32[4, 8]\ninput n: int32[4]\nc(i: 4) = sum(k: 8) x[i, k] + float32(n[i])\n"

var refusals = []struct{ name, text, want string }{
	{"empty", "", "line 1: no output"},
	{"no output", before, "line 4: no output: end with a line such as"},
	{"first line indented", "  input x: float32[4]\n", "line 1: a line that begins with a space goes on with the line before"},
	{"strange character", before + "y(i: 4) = c[i] ? 1\n", `line 4: unexpected character '?'`},
	{"not a statement", before + "= 3\n", `line 4: expected the name of a tensor, input or output at the beginning of a line, found "="`},
	{"unknown type", "input x: float31[4]\n", `line 1: unknown type "float31": known are bool`},
	{"no type", "input x [4]\n", `line 1: expected ":" and a type after the name of the input, found "["`},
	{"no shape", "input x: float32\n", `line 1: expected "[" and the extents after the type, found the end of the statement`},
	{"extent of an input", "input x: float32[4, 0]\n", "line 1: dimension 1 of x has extent 0: must be at least 1"},
	{"negative extent", "input x: float32[-4]\n", "line 1: dimension 0 of x has extent -4: must be at least 1"},
	{"extent with fraction", "input x: float32[4.5]\n", `line 1: expected the extent of dimension 0 of x, a whole number, found "4.5"`},
	{"shape without comma", "input x: float32[4 4]\n", `line 1: expected "," or "]" after an extent, found "4"`},
	{"huge tensor", "input x: float32[1000000, 1000000, 1000000]\n", "line 1: more than 2^48 elements with dimension 2 of x"},
	{"junk after input", "input x: float32[4] 5\n", `line 1: unexpected "5" after the end of the statement`},
	{"defined twice", before + "c(i: 4) = x[i, 0]\n", "line 4: tensor c is defined in line 3 already: choose another name, or add a label, as in c@2"},
	{"input defined twice", "input x: float32[4]\ninput x: float32[4]\n", "line 2: tensor x is defined in line 1 already"},
	{"unknown tensor", before + "y(i: 4) = q[i]\n", "line 4: unknown tensor q: known here are: x n c"},
	{"read of itself", before + "y(i: 4) = y[i]\n", "line 4: unknown tensor y"},
	{"too few indices", before + "y(i: 4) = x[i]\n", "line 4: x is read with 1 indices, but it has 2 dimensions"},
	{"no indices", before + "y(i: 4) = c + 1\n", "line 4: tensor c without indices: write c[...]"},
	{"unknown name", before + "y(i: 4) = c[j]\n", "line 4: unknown name j: neither an axis of this op nor a constant"},
	{"axis of the reduction outside", before + "y(i: 4) = c[k]\n", "line 4: unknown name k"},
	{"duplicate axis", before + "y(i: 4, i: 8) = x[i, i]\n", "line 4: two axes or variables are called i"},
	{"duplicate reduce axis", before + "y(i: 4) = sum(i: 8) x[i, i]\n", "line 4: two axes or variables are called i"},
	{"axis called as a constant", before + "y(inf: 4) = c[inf]\n", "line 4: an axis cannot be called inf"},
	{"axis with a label", before + "y(i@2: 4) = c[0]\n", "line 4: an axis cannot have a label"},
	{"extent of an axis", before + "y(i: 0) = c[i]\n", "line 4: axis i has extent 0: must be at least 1"},
	{"no extent", before + "y(i) = c[i]\n", `line 4: expected ":" and an extent after axis i, found ")"`},
	{"no axes", before + "y = c[0]\n", `line 4: expected "(" and axes after the name of an op, found "="`},
	{"no value", before + "y(i: 4) =\n", "line 4: expected an expression, found the end of the statement"},
	{"no equals", before + "y(i: 4) c[i]\n", `line 4: expected "=" after the axes, found "c"`},
	{"missing operand", before + "y(i: 4) = c[i] +\n", "line 4: expected an expression, found the end of the statement"},
	{"open parenthesis", before + "y(i: 4) = (c[i]\n", `line 4: expected ")" after an expression in parentheses`},
	{"open bracket", before + "y(i: 4) = c[i\n", `line 4: expected "," or "]" in a list`},
	{"trailing junk", before + "y(i: 4) = c[i] 5\n", `line 4: unexpected "5" after the end of the statement`},
	{"trailing word", before + "y(i: 4) = c[i] relu\n", `line 4: unexpected "relu": after the value may come`},
	{"continued line", before + "y(i: 4) =\n   c[i] +\n   q[i]\n", "line 6: unknown tensor q"},
	{"minus", before + "y(i: 4) = -c[i]\n", `line 4: a minus sign before "c": write 0 - x`},
	{"chain of comparisons", before + "y(i: 4) = c[i] < 1 < 2\n", "line 4: a comparison of a comparison"},
	{"unknown function", before + "y(i: 4) = sine(c[i])\n",
		"line 4: unknown function sine: known are if_then_else select floordiv"},
	{"unknown reduction", before + "y(i: 4) = prod(k: 8) x[i, k]\n", "line 4: unknown reduction prod: known are sum max min wide_sum reduce"},
	{"wide sum of a whole number", before + "y(i: 4) = wide_sum(k: 4) n[k]\n", "line 4: wide_sum of int32: only float32 has one"},
	{"number of arguments", before + "y(i: 4) = max(c[i])\n", "line 4: max has 1 arguments, but takes 2"},
	{"suffix", before + "y(i: 4) = c[i] + 1q\n", "line 4: number 1q: unknown suffix q"},
	{"constant does not fit", before + "y(i: 4) = n[i] + 3000000000\n", "line 4: number 3000000000 is not of type int32"},
	{"fraction of a whole number", before + "y(i: 4) = n[i] + 0.5\n", "line 4: number 0.5 is not of type int32"},
	{"huge number", before + "y(i: 4) = c[i] + 1e999\n", "line 4: number 1e999 is out of range"},
	{"mixed types", before + "y(i: 4) = c[i] + n[i]\n", "line 4: +: c[i] has type float32 and n[i] has type int32: cast one of them"},
	{"mixed types of a call", before + "y(i: 4) = max(c[i], n[i])\n", "line 4: max: c[i] has type float32 and n[i] has type int32"},
	{"mixed branches", before + "y(i: 4) = select(i < 2, c[i], n[i])\n", "line 4: the values to choose from: c[i] has type float32"},
	{"condition", before + "y(i: 4) = select(i, c[i], c[i])\n", "line 4: the condition, i, has type int64 instead of bool"},
	{"not of a number", before + "y(i: 4) = !c[i]\n", "line 4: the operand of !, c[i], has type float32 instead of bool"},
	{"and of numbers", before + "y(i: 4) = i && i\n", "line 4: && of int64: its operands must be conditions"},
	{"sum of conditions", before + "y(i: 4) = (i < 2) + (i < 3)\n", "line 4: + of bool"},
	{"bits of another width", before + "y(i: 4) = bitcast_int64(c[i])\n",
		"line 4: bitcast_int64 of float32: its type must be as wide"},
	{"bits of bool", before + "y(i: 4) = bitcast_bool(uint8(c[i]))\n",
		"line 4: bitcast_bool of uint8: its type must be as wide, and neither is bool"},
	{"bits of floats", before + "y(i: 4) = bitand(c[i], 2)\n", "line 4: bitand of float32: only whole numbers have it"},
	{"shift of conditions", before + "y(i: 4) = shl(i < 2, i < 3)\n", "line 4: shl of bool"},
	{"floordiv of floats", before + "y(i: 4) = floordiv(c[i], 2)\n", "line 4: floordiv of float32: only whole numbers have it"},
	{"floordiv by zero", before + "y(i: 4) = c[floordiv(i, 0)]\n", "line 4: floordiv by 0: the divisor must be positive"},
	{"division by zero", before + "y(i: 4) = n[i]/0\n", "line 4: division by zero"},
	{"exp of a whole number", before + "y(i: 4) = exp(n[i])\n", "line 4: exp of int32: cast to float32 or float64 first"},
	{"arithmetic of a storage type", "input h: float16[4]\ny(i: 4) = h[i] + 2\n", "line 2: + of float16, a type for storage only: cast to float32 first"},
	{"storage types that are equal", "input h: float16[4]\ny(i: 4) = select(h[i] == 0, 1f, 2f)\n", "line 2: == of float16, a type for storage only: cast to float32 first"},
	{"storage types that are not", "input h: bfloat16[4]\ny(i: 4) = select(h[i] != h[3 - i], 1f, 2f)\n", "line 2: != of bfloat16, a type for storage only: cast to float32 first"},
	{"order of a storage type", "input h: bfloat16[4]\ny(i: 4) = select(h[i] < 0, 1f, 2f)\n", "line 2: < of bfloat16, a type for storage only: cast to float32 first"},
	{"sum of a storage type", "input h: float16[4]\ny() = sum(i: 4) h[i]\n", "line 2: sum of float16: cast to float32"},
	{"index of another type", before + "y(i: 4) = c[n[i]]\n", "line 4: index 0 of c, n[i], has type int32: cast it to int64"},
	{"index of a float", before + "y(i: 4) = c[0.5]\n", "line 4: number 0.5 is not of type int64"},
	{"constant index", before + "y(i: 4) = x[i, 8]\n", "line 4: index 1 of x, 8, runs from 8 to 8, but the dimension from 0 to 7"},
	{"negative constant index", before + "y(i: 4) = x[i, -1]\n", "line 4: index 1 of x, -1, runs from -1 to -1, but the dimension from 0 to 7"},
	{"guarded constant index", before + "y(i: 4) = if_then_else(i < 2, x[i, 8], 0)\n", "line 4: index 1 of x is 8, but the dimension runs from 0 to 7"},
	{"index beyond the end", before + "y(i: 4) = c[i + 1]\n", "line 4: index 0 of c, (i + 1), runs from 1 to 4, but the dimension from 0 to 3: guard it with if_then_else"},
	{"reversed too far", before + "y(i: 4, j: 8) = x[i, 6 - j]\n", "line 4: index 1 of x, (6 - j), runs from -1 to 6"},
	{"stride too large", before + "y(i: 4, j: 3) = x[i, j*4]\n", "line 4: index 1 of x, (j*4), runs from 0 to 8"},
	{"select is no guard", before + "y(i: 4) = select(i > 0, c[i - 1], 0)\n", "line 4: index 0 of c, (i - 1), runs from -1 to 2"},
	{"results and values", before + "y(i: 4) -> a, b = c[i]\n", "line 4: y has 2 results but 1 values"},
	{"results of one name", before + "y(i: 4) -> a, a = {c[i], c[i]}\n", "line 4: y has two results called a"},
	{"label of an op", before + "y@2(i: 4) -> a = c[i]\n", "line 4: op y@2: labels belong to tensors"},
	{"label of several results", before + "y@2(i: 4) = {c[i], c[i]}\n", `line 4: y@2 has several results: name them after "->"`},
	{"sum of two", before + "y(i: 4) = sum(k: 8) {x[i, k], x[i, k]}\n", "line 4: sum of 2 values: only reduce takes several"},
	{"reduce without from", before + "y(i: 4) = reduce(k: 8) x[i, k]\n", `line 4: expected "from" and the values to start from`},
	{"reduce without fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0\n", `line 4: expected "fold" and how to fold`},
	{"number of identities", before + "y(i: 4) = reduce(k: 8) x[i, k] from {0, 1} fold (a) (b) a + b\n", "line 4: from has 2 values, but 1 are reduced"},
	{"type of an identity", before + "y(i: 4) = sum(k: 8) x[i, k] from 0i32\n", "line 4: from: 0 has type int32, but what is reduced has type float32"},
	{"axis in from", before + "y(i: 4) = sum(k: 8) x[i, k] from float32(i)\n",
		"line 4: y: from reads i, which is no value to fold"},
	{"tensor in from", before + "y(i: 4) = sum(k: 8) x[i, k] from c[i]\nz(i: 4) = y[i] + c[i]\noutput z\n",
		"line 4: y: from reads tensor c"},
	{"tensor in a fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0 fold (a) (b) a + b*c[0]\n",
		"line 4: y: fold reads tensor c"},
	{"names to fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0 fold (a, c) (b) a + b\n", "line 4: more names to fold than the 1 values"},
	{"too few names to fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0 fold () (b) b\n", "line 4: 0 names to fold, but 1 values are reduced"},
	{"axis in a fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0 fold (a) (b) a + float32(i)\n", "line 4: unknown name i"},
	{"type of a fold", before + "y(i: 4) = reduce(k: 8) x[i, k] from 0 fold (a) (b) a < b\n", "line 4: fold: (a < b) has type bool, but what is reduced has type float32"},
	{"axis of an attribute", before + "y(i: 4) = c[i]\n    no_split_at_inner j\n", "line 5: no_split_at_inner j: no such axis"},
	{"layout of an op", before + "y(i: 4) = c[i]\n    layout_free c\n", "line 5: layout_free c: no input that the op reads"},
	{"layout of another input", before + "y(i: 4) = c[i]\n    layout_free x\n", "line 5: layout_free x: no input that the op reads"},
	{"flop", before + "y(i: 4) = c[i]\n    flop 0\n", "line 5: flop 0: must be at least 1"},
	{"unread op", before + "y(i: 4) = c[i]\nz(i: 4) = c[i]\noutput y\n", "line 5: z is never read and is no output"},
	{"unread input", "input u: float32[2]\n" + before + "output c\n", "line 1: u is never read and is no output"},
	{"unknown output", before + "output y\n", "line 4: unknown tensor y"},
	{"input as output", before + "output x\n", "line 4: output x is an input"},
	{"output twice", before + "output c, c\n", "line 4: output c is listed twice"},
	{"two output lines", before + "output c\noutput c\n", "line 5: a second output line"},
	{"junk after output", before + "output c c\n", `line 4: unexpected "c" after the end of the statement`},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refusals {
		_, err := Parse(c.text)
		if err == nil {
			t.Errorf("%s: no error, want %q", c.name, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error\n\t%v\nwant\n\t%s", c.name, err, c.want)
		}
	}
}

// TestParseDeep: text that nests too deep is an error, not the end of the
// process.
func TestParseDeep(t *testing.T) {
	deep := before + "y(i: 4) = " + strings.Repeat("(", 100_000) + "c[i]\n"
	if _, err := Parse(deep); err == nil || !strings.Contains(err.Error(), "line 4: more than 20000 words") && !strings.Contains(err.Error(), "nest more than") {
		t.Errorf("parentheses: %v", err)
	}
	nots := before + "y(i: 4) = " + strings.Repeat("!", 5000) + "c[i]\n"
	if _, err := Parse(nots); err == nil || !strings.Contains(err.Error(), "nest more than 1000 deep") {
		t.Errorf("negations: %v", err)
	}
	long := before + "y(i: 4) = c[i]" + strings.Repeat(" + c[i]", 3000) + "\noutput y\n"
	if _, err := Parse(long); err != nil {
		t.Errorf("long sum: %v", err)
	}
}

// TestDocumentedExamples parses the examples of the user's page on workload files.
func TestDocumentedExamples(t *testing.T) {
	data, err := os.ReadFile("../../docs/manual/workload-file.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), "```workload\n")[1:]
	if len(parts) < 2 {
		t.Fatalf("%d examples, want 2 at least", len(parts))
	}
	for i, part := range parts {
		text, _, ok := strings.Cut(part, "```")
		if !ok {
			t.Fatalf("example %d has no end", i)
		}
		d := mustParse(t, text)
		if back := mustParse(t, d.Text()); back.Text() != d.Text() || back.Hash() != d.Hash() {
			t.Errorf("example %d changes when read back:\n%s", i, d.Text())
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range canonical {
		f.Add(c.text)
	}
	for _, c := range refusals {
		f.Add(c.text)
	}
	f.Add(argmaxText)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		d.WorkloadKey()
		d.FLOPs()
		back, err := Parse(d.Text())
		if err != nil {
			t.Fatalf("the text of what was read is refused: %v in\n%s", err, d.Text())
		}
		if back.Text() != d.Text() || back.Hash() != d.Hash() {
			t.Fatalf("\n%sreads back as\n%s", d.Text(), back.Text())
		}
	})
}
