package tiletest

import (
	"fmt"
	"regexp"
	"strings"
)

var neon = regexp.MustCompile(`declare <4 x \w+> @llvm\.aarch64\.neon\.(\w+)\.[^\n]*\n`)

// withoutNEON returns a program that calls functions in place of NEON's instructions.
func withoutNEON(ir string) string {
	var defined strings.Builder
	for _, m := range neon.FindAllStringSubmatch(ir, -1) {
		ir = strings.Replace(ir, m[0], "", 1)
		name := m[0][strings.Index(m[0], "@"):strings.Index(m[0], "(")]
		ir = strings.ReplaceAll(ir, name+"(", "@neon."+m[1]+"(")
		defined.WriteString(neonDefinition(m[1]))
	}
	return ir + defined.String()
}

var halves = regexp.MustCompile(`declare <(\d+) x half> (@llvm\.fma\.v\d+f16)\([^\n]*\n`)

// withoutHalves returns a program that calls functions in place of multiply-adds of float16, which compute in float32.
func withoutHalves(ir string) string {
	var defined strings.Builder
	for _, m := range halves.FindAllStringSubmatch(ir, -1) {
		name := "@half.fma." + m[1]
		ir = strings.ReplaceAll(strings.Replace(ir, m[0], "", 1), m[2]+"(", name+"(")
		typ, wide := "<"+m[1]+" x half>", "<"+m[1]+" x float>"
		fmt.Fprintf(&defined, "\ndefine internal %[1]s %[2]s(%[1]s %%a, %[1]s %%b, %[1]s %%c) noinline {\n"+
			"  %%x = fpext %[1]s %%a to %[3]s\n  %%y = fpext %[1]s %%b to %[3]s\n  %%z = fpext %[1]s %%c to %[3]s\n"+
			"  %%p = fmul %[3]s %%x, %%y\n  %%s = fadd %[3]s %%p, %%z\n  %%r = fptrunc %[3]s %%s to %[1]s\n  ret %[1]s %%r\n}\n",
			typ, name, wide)
	}
	return ir + defined.String()
}

// neonDefinition returns the function that stands for an instruction. Lane l of the sums is a row of two of a, and a
// column of two of b, of a product of pairs; else it is that of group l of both.
func neonDefinition(name string) string {
	typ, n, sum, a, b, multiply, add := "i8", 16, "i32", "sext", "sext", "mul", "add"
	switch {
	case name == "bfdot":
		typ, n, sum, a, b, multiply, add = "bfloat", 8, "float", "fpext", "fpext", "fmul", "fadd"
	case strings.HasPrefix(name, "us"):
		a = "zext"
	case strings.HasPrefix(name, "u"):
		a, b = "zext", "zext"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\ndefine internal <4 x %[1]s> @neon.%[2]s(<4 x %[1]s> %%c, <%[3]d x %[4]s> %%a, "+
		"<%[3]d x %[4]s> %%b) noinline {\n  %%x = %[5]s <%[3]d x %[4]s> %%a to <%[3]d x %[1]s>\n"+
		"  %%y = %[6]s <%[3]d x %[4]s> %%b to <%[3]d x %[1]s>\n", sum, name, n, typ, a, b)
	sums := "%c"
	for l := range 4 {
		steps, row, column := n/4, l, l
		if strings.HasSuffix(name, "mmla") {
			steps, row, column = n/2, l/2, l%2
		}
		total := fmt.Sprintf("%%c%d", l)
		fmt.Fprintf(&s, "  %s = extractelement <4 x %s> %%c, i64 %d\n", total, sum, l)
		for k := range steps {
			id := fmt.Sprintf("%d.%d", l, k)
			fmt.Fprintf(&s, "  %%x%[1]s = extractelement <%[2]d x %[3]s> %%x, i64 %[4]d\n"+
				"  %%y%[1]s = extractelement <%[2]d x %[3]s> %%y, i64 %[5]d\n"+
				"  %%p%[1]s = %[6]s %[3]s %%x%[1]s, %%y%[1]s\n  %%s%[1]s = %[7]s %[3]s %[8]s, %%p%[1]s\n",
				id, n, sum, row*steps+k, column*steps+k, multiply, add, total)
			total = "%s" + id
		}
		fmt.Fprintf(&s, "  %%r%d = insertelement <4 x %s> %s, %s %s, i64 %d\n", l, sum, sums, sum, total, l)
		sums = fmt.Sprintf("%%r%d", l)
	}
	fmt.Fprintf(&s, "  ret <4 x %s> %s\n}\n", sum, sums)
	return s.String()
}
