package target

import (
	"math"
	"strings"
	"testing"
)

func TestGPU(t *testing.T) {
	for _, a := range archs {
		g, err := GPU(a)
		if err != nil || g.Kind != CUDA || g.String() != "cuda -arch="+a {
			t.Errorf("%s: %v, %v", a, g, err)
		}
		// The parameters that AutoScheduler's logs of an RTX 2080 Ti hold.
		if got := g.Hardware.Ansor(); got != [8]int{-1, 64, 64, 49152, math.MaxInt32, 1024, 8, 32} || g.Hardware.VectorBytes != 16 {
			t.Errorf("%s: parameters %v", a, g.Hardware)
		}
	}
	for _, a := range Architectures() {
		if m, ok := ProcessorOf(a); !ok || m.Threads%32 != 0 || m.Lanes < 64 {
			t.Errorf("multiprocessor of %s: %+v, %v", a, m, ok)
		}
	}
	used := map[string]bool{}
	for _, m := range Models() {
		g, err := GPU(m.Name)
		if err != nil || g.Arch != m.Arch || m.Multiprocessors < 1 {
			t.Errorf("model %v: %v, %v", m, g, err)
		}
		used[m.Arch] = true
	}
	for _, a := range archs {
		if !used[a] {
			t.Errorf("no model has architecture %s", a)
		}
	}
	if _, err := GPU("sm_20"); err == nil || !strings.Contains(err.Error(), `no GPU "sm_20" is known; known: sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, v100, rtx-2080-ti`) {
		t.Errorf("an unknown GPU: %v", err)
	}
}

func TestParseGPU(t *testing.T) {
	for text, want := range map[string]string{
		"cuda": "", " cuda ": "", "cuda -arch=sm_86": "sm_86", "cuda -model=rtx-4090": "sm_89", "cuda -arch=sm_86 -model=a10": "sm_86",
	} {
		g, ok, err := ParseGPU(text)
		if err != nil || ok != (want != "") || g.Arch != want {
			t.Errorf("%q: %v, %v, %v", text, g, ok, err)
		}
	}
	for text, want := range map[string]string{
		"":                             `does not begin with cuda`,
		"llvm":                         `does not begin with cuda`,
		"cuda sm_86":                   `has sm_86; known: -arch=ARCH, -model=MODEL`,
		"cuda -arch":                   `no GPU "" is known`,
		"cuda -arch=sm_61":             `no GPU "sm_61" is known; known: sm_70`,
		"cuda -arch=a10":               `a10 is a model; write -model=a10`,
		"cuda -model=sm_86":            `sm_86 is an architecture; write -arch=sm_86`,
		"cuda -arch=sm_80 -model=l4":   `two architectures, sm_80 and sm_89`,
		"cuda -model=l4 -arch=unknown": `no GPU "unknown"`,
	} {
		if g, ok, err := ParseGPU(text); err == nil || ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, %v, want %s", text, g, ok, err, want)
		}
	}
}
