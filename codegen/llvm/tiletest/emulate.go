// Package tiletest runs programs with tile registers, instructions of NEON or products of float16 on processors without
// them: it has the text of a program call functions in place of the instructions, with tiles of 1 KB in memory.
//
// It is for tests only. What it computes is what Intel's and Arm's manuals say of the instructions; nothing here shows
// that a processor with them does so.
package tiletest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	intrinsic = regexp.MustCompile(`@llvm\.x86\.(tilezero|tileloadd64|tilestored64|tdp[a-z0-9]+)\.internal`)
	call      = regexp.MustCompile(`^\s*(?:(%\S+) = )?call (?:x86_amx|void) @llvm\.x86\.(\w+)\.internal\((.*)\)$`)
	phi       = regexp.MustCompile(`^\s*(%\S+) = phi x86_amx \[ (%\S+), %\S+ \], \[ (%\S+), %\S+ \]$`)
)

// Emulated returns a program that computes the same without tile registers. The error says where a tile is used in
// another shape than it has: a processor would fault, or add the wrong elements.
func Emulated(ir string) (string, error) {
	if err := checkShapes(ir); err != nil {
		return "", err
	}
	ir = withoutHalves(withoutNEON(ir))
	var out strings.Builder
	used := map[string]bool{}
	for i, f := range strings.SplitAfter(ir, "\nentry:\n") {
		var slots, body strings.Builder
		for line := range strings.Lines(f) {
			m := intrinsic.FindStringSubmatch(line)
			if m != nil {
				used[m[1]] = true
				if strings.HasPrefix(line, "declare") {
					continue
				}
			}
			if v, is := strings.CutPrefix(strings.TrimSpace(line), "%"); m != nil && is {
				slot, _, _ := strings.Cut(v, " ")
				fmt.Fprintf(&slots, "  %%slot.%s = alloca [1024 x i8], align 64\n", slot)
				line = strings.Replace(line, "internal(", "internal(ptr %slot."+slot+", ", 1)
			}
			line = intrinsic.ReplaceAllString(line, "@tile.$1")
			body.WriteString(strings.ReplaceAll(line, "x86_amx", "ptr"))
		}
		if i > 0 {
			out.WriteString(slots.String())
		}
		out.WriteString(body.String())
	}
	for name := range used {
		out.WriteString(definition(name))
	}
	out.WriteString("\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n" +
		"declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n")
	return out.String(), nil
}

// A shape is rows and bytes of a row.
type shape struct{ rows, bytes int }

func checkShapes(ir string) error {
	shapes := map[string]shape{}
	type use struct {
		tile, line string
		shape
	}
	var uses []use
	for line := range strings.Lines(ir) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "define") {
			clear(shapes) // names are those of a function; all uses before are checked at its end
		}
		if m := phi.FindStringSubmatch(line); m != nil {
			s, ok := shapes[m[2]]
			if !ok {
				return fmt.Errorf("%s: there is no such tile before", line)
			}
			shapes[m[1]] = s
			uses = append(uses, use{m[3], line, s})
		}
		if m := call.FindStringSubmatch(line); m != nil {
			var n []int
			var tiles []string
			for arg := range strings.SplitSeq(m[3], ", ") {
				typ, ref, _ := strings.Cut(arg, " ")
				switch typ {
				case "i16":
					v, err := strconv.Atoi(ref)
					if err != nil {
						return fmt.Errorf("%s: the shape is no constant", line)
					}
					n = append(n, v)
				case "x86_amx":
					tiles = append(tiles, ref)
				}
			}
			made := shape{n[0], n[1]}
			if bad := made.rows < 1 || made.rows > 16 || made.bytes < 4 || made.bytes > 64 || made.bytes%4 != 0; bad {
				return fmt.Errorf("%s: no tile has this shape", line)
			}
			shapes[m[1]] = made
			switch len(tiles) {
			case 1:
				uses = append(uses, use{tiles[0], line, made})
			case 3:
				k := n[2]
				if k < 4 || k > 64 || k%4 != 0 {
					return fmt.Errorf("%s: no tile has this shape", line)
				}
				uses = append(uses, use{tiles[0], line, made}, use{tiles[1], line, shape{n[0], k}},
					use{tiles[2], line, shape{k / 4, n[1]}})
			}
		}
		if line == "}" {
			for _, u := range uses {
				if shapes[u.tile] != u.shape {
					return fmt.Errorf("%s: tile %s is %v, not %v", u.line, u.tile, shapes[u.tile], u.shape)
				}
			}
			uses = nil
		}
	}
	return nil
}

// loops returns nested loops over counters of so many iterations, in a function whose entry is followed by them; body
// may end in another block than it began.
func loops(counts []string, body string) string {
	var b strings.Builder
	last := "entry"
	for i := range counts {
		fmt.Fprintf(&b, "  br label %%head%[1]d\nhead%[1]d:\n"+
			"  %%i%[1]d = phi i64 [ 0, %%%[2]s ], [ %%next%[1]d, %%latch%[1]d ]\n"+
			"  %%more%[1]d = icmp ult i64 %%i%[1]d, %[3]s\n"+
			"  br i1 %%more%[1]d, label %%body%[1]d, label %%end%[1]d\nbody%[1]d:\n",
			i, last, counts[i])
		last = fmt.Sprintf("body%d", i)
	}
	b.WriteString(body)
	for i := len(counts) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "  br label %%latch%[1]d\nlatch%[1]d:\n"+
			"  %%next%[1]d = add i64 %%i%[1]d, 1\n  br label %%head%[1]d\nend%[1]d:\n", i)
	}
	return b.String()
}

const widths = "  %m = zext i16 %rows to i64\n  %n = zext i16 %bytes to i64\n"

// definition returns the function that stands for an instruction. A tile is where its value is, which is %tile for a
// new one.
func definition(name string) string {
	const places = "  %out = mul i64 %i0, %stride\n" +
		"  %outer = add i64 %out, %i1\n  %memory = getelementptr i8, ptr %p, i64 %outer\n" +
		"  %row = mul i64 %i0, 64\n  %inner = add i64 %row, %i1\n  %element = getelementptr i8, ptr %tile, i64 %inner\n"
	const zero = "  call void @llvm.memset.p0.i64(ptr %tile, i8 0, i64 1024, i1 false)\n"
	switch name {
	case "tilezero":
		return "\ndefine internal ptr @tile.tilezero(ptr %tile, i16 %rows, i16 %bytes) noinline {\n" +
			zero + "  ret ptr %tile\n}\n"
	case "tileloadd64":
		return "\ndefine internal ptr @tile.tileloadd64(ptr %tile, i16 %rows, i16 %bytes, ptr %p, i64 %stride) " +
			"noinline {\nentry:\n" + widths + zero +
			loops([]string{"%m", "%n"}, places+"  %v = load i8, ptr %memory\n"+
				"  store i8 %v, ptr %element\n") + "  ret ptr %tile\n}\n"
	case "tilestored64":
		return "\ndefine internal void @tile.tilestored64(i16 %rows, i16 %bytes, ptr %p, i64 %stride, ptr %tile) " +
			"noinline {\nentry:\n" + widths +
			loops([]string{"%m", "%n"}, places+"  %v = load i8, ptr %element\n  store i8 %v, ptr %memory\n") + "  ret void\n}\n"
	}
	return product(name)
}

// product returns the function of a product: c[i, j] += a[i, 4*k + g]*b[k, 4*j + g], of 2 floats if not of 4 bytes.
func product(name string) string {
	group, typ, size, sum := 4, "i8", 1, "i32"
	extend := map[byte]string{'s': "sext", 'u': "zext"}
	a, b := extend[name[len(name)-3]], extend[name[len(name)-2]]
	multiply, add := "mul", "add"
	if name == "tdpbf16ps" {
		group, typ, size, sum, a, b, multiply, add = 2, "bfloat", 2, "float", "fpext", "fpext", "fmul", "fadd"
	}
	body := fmt.Sprintf(`  %%r = mul i64 %%i0, 64
  %%k4 = mul i64 %%i2, 4
  %%gs = mul i64 %%i3, %[2]d
  %%a0 = add i64 %%r, %%k4
  %%a1 = add i64 %%a0, %%gs
  %%pa = getelementptr i8, ptr %%ta, i64 %%a1
  %%kr = mul i64 %%i2, 64
  %%j4 = mul i64 %%i1, 4
  %%b0 = add i64 %%kr, %%j4
  %%b1 = add i64 %%b0, %%gs
  %%pb = getelementptr i8, ptr %%tb, i64 %%b1
  %%c0 = add i64 %%r, %%j4
  %%pc = getelementptr i8, ptr %%tile, i64 %%c0
  %%va = load %[1]s, ptr %%pa
  %%vb = load %[1]s, ptr %%pb
  %%vc = load %[3]s, ptr %%pc
  %%wa = %[4]s %[1]s %%va to %[3]s
  %%wb = %[5]s %[1]s %%vb to %[3]s
  %%xy = %[6]s %[3]s %%wa, %%wb
  %%s = %[7]s %[3]s %%vc, %%xy
  store %[3]s %%s, ptr %%pc
`, typ, size, sum, a, b, multiply, add)
	var out strings.Builder
	fmt.Fprintf(&out, "\ndefine internal ptr @tile.%s(ptr %%tile, i16 %%rows, i16 %%bytes, i16 %%deep, ptr %%c, "+
		"ptr %%ta, ptr %%tb) noinline {\nentry:\n", name)
	out.WriteString(widths + "  %d = zext i16 %deep to i64\n  %n4 = udiv i64 %n, 4\n  %d4 = udiv i64 %d, 4\n" +
		"  call void @llvm.memmove.p0.p0.i64(ptr %tile, ptr %c, i64 1024, i1 false)\n")
	out.WriteString(loops([]string{"%m", "%n4", "%d4", strconv.Itoa(group)}, body))
	out.WriteString("  ret ptr %tile\n}\n")
	return out.String()
}
