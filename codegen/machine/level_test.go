package machine

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/tir/target"
)

// TestParseLevels: a list of processors, and what is none.
func TestParseLevels(t *testing.T) {
	for list, want := range map[string]string{
		"llvm": "", "x86-64-v2": "", "llvm -mcpu=haswell": "", "aarch64-linux": "", "aarch64-linux -mcpu=cortex-a72": "",
		"x86-64-v2, llvm -mcpu=znver4,x86-64-v4": "",

		"":                            "a target is empty",
		"x86-64-v2,":                  "a target is empty",
		"x86-64-v5":                   `did you mean "x86-64-v2"?`,
		"cuda":                        `target "cuda" is unknown`,
		"llvm -mattr=+avx2":           `has the option "-mattr=+avx2"`,
		"llvm -mcpu=":                 `has the option "-mcpu="`,
		"x86-64-v3 -mcpu=haswell":     "has the option",
		"x86-64-v3,x86-64-v2":         "",
		"x86-64-v3,x86-64-v3":         `"x86-64-v3" stands twice`,
		"x86-64-v3,llvm":              `leave out "llvm"`,
		"llvm,x86-64-v3":              `leave out "llvm"`,
		"x86-64-v3,aarch64-linux":     "of two architectures: compile a library for each",
		"aarch64-linux,aarch64-linux": "stands twice",
	} {
		texts, err := ParseLevels(list)
		if want == "" {
			if err != nil || len(texts) != strings.Count(list, ",")+1 {
				t.Errorf("%q: %q, %v", list, texts, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

// TestFor: the target of a processor has what LLVM knows of it, and not what this machine has. Its candidates are not
// timed. Names that LLVM does not know are an error with the nearest one.
func TestFor(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	m, err := OpenCPU(t.Context(), testOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for text, want := range map[string]string{
		"x86-64-v2":          "llvm -mcpu=x86-64-v2 -mattr=sse4.2",
		"llvm -mcpu=haswell": "llvm -mcpu=haswell -mattr=sse4.2,avx,avx2,fma,f16c",
	} {
		c, err := m.For(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		on := c.Target()
		if got, _, _ := strings.Cut(on.String(), " -cores="); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if bytes := map[bool]int{true: 32, false: 16}[on.Has("avx")]; on.Hardware.VectorBytes != bytes {
			t.Errorf("%s: vectors of %d bytes", text, on.Hardware.VectorBytes)
		}
		if c.CannotTime() == "" || c.Native() != m || c.Level() != on.CPU {
			t.Errorf("%s: %q, %s", text, c.CannotTime(), c.Level())
		}
		c.Close()
	}
	if c, err := m.For(t.Context(), "llvm"); err != nil || c != m {
		t.Errorf("this machine: %v", err)
	}
	_, err = m.For(t.Context(), "llvm -mcpu=haswel")
	if err == nil || err.Error() != `LLVM knows no processor "haswel" of x86-64; did you mean "haswell"?` {
		t.Errorf("%v", err)
	}
	if _, err := Valid("x86-64-v9"); err == nil || !strings.Contains(err.Error(), `did you mean "x86-64-v2"?`) {
		t.Errorf("%v", err)
	}
	if kind, err := Valid("x86-64-v3"); kind != target.LLVM || err != nil {
		t.Errorf("%s, %v", kind, err)
	}
}

// TestLacking: what a processor has and this machine has not is emulated if QEMU can, and refused by name if not.
func TestLacking(t *testing.T) {
	host := target.Target{Features: []string{"avx2", "fma"}}
	other := target.Target{Features: []string{"avx2", "avx512f", "fma", "sha"}}
	lacks := lacking(host, other)
	if !slices.Equal(lacks, []string{"avx512f", "sha"}) || lacking(other, host) != nil {
		t.Errorf("it lacks %q, and the other way %q", lacks, lacking(other, host))
	}
	l := &level{&architecture{emulator: "no-such-emulator", package_: "qemu-user"}, "skylake-avx512"}
	if _, err := (&CPU{}).emulator(l, lacks); err == nil || !strings.Contains(err.Error(), "this processor lacks avx512f, and QEMU") {
		t.Errorf("%v", err)
	}
	if _, err := (&CPU{}).emulator(l, []string{"sha"}); err == nil || !strings.Contains(err.Error(), "apt-get install qemu-user") {
		t.Errorf("%v", err)
	}
}
