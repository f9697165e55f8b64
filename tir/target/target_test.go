package target

import "testing"

// TestString: what changes the code or its speed tells targets apart.
func TestString(t *testing.T) {
	a := Target{Kind: LLVM, CPU: "znver3", Features: []string{"64bit", "avx2", "fma"}, Hardware: Hardware{Cores: 2}}
	if got, want := a.String(), "llvm -mcpu=znver3 -mattr=avx2,fma -cores=2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b := a
	b.Hardware.Cores = 4
	if a.String() == b.String() {
		t.Error("targets with other cores have one name")
	}
	a.Features = []string{"dotprod", "i8mm", "neon"} // products of bytes take other instructions
	if got, want := a.String(), "llvm -mcpu=znver3 -mattr=neon,dotprod,i8mm -cores=2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Target{Kind: CUDA, Arch: "sm_80"}).String(); got != "cuda -arch=sm_80" {
		t.Errorf("got %q", got)
	}
}

func TestHas(t *testing.T) {
	a := Target{Features: []string{"avx", "avx2", "fma"}}
	if !a.Has("avx2") || a.Has("avx512f") || (Target{}).Has("avx") {
		t.Error("features are not found as they are")
	}
}

func TestGeneric(t *testing.T) {
	if g := Generic(64, 4); g.Hardware.VectorRegisters != 32 || g.Hardware.Ansor() != [8]int{4, 64, 64} {
		t.Errorf("got %+v", g)
	}
}

func TestParseLayout(t *testing.T) {
	for _, l := range []Layout{Keep, Rewrite} {
		if got, err := ParseLayout(l.String()); got != l || err != nil {
			t.Errorf("%s: got %s, %v", l, got, err)
		}
	}
	if _, err := ParseLayout("other"); err == nil || err.Error() != `layout "other": must be keep or rewrite` {
		t.Errorf("got error %v", err)
	}
}
