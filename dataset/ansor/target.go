package ansor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
)

// hardwareParams is the number of hardware parameters in a log.
const hardwareParams = 8

// A level is what a family of processors can do with vectors of floats: those of
// LLVM's features that target.Target.String names.
type level []string

var (
	sse42  = level{"sse4.2"}
	avx    = level{"avx", "sse4.2"}
	avx2   = level{"avx", "avx2", "f16c", "fma", "sse4.2"}
	avx512 = append(avx2[:len(avx2):len(avx2)], "avx512bw", "avx512dq", "avx512f", "avx512vl")
	vnni   = append(avx512[:len(avx512):len(avx512)], "avx512vnni")
	bf16   = append(vnni[:len(vnni):len(vnni)], "avx512bf16")
	neon   = level{"neon"}
)

// processors are the names after -mcpu in logs, as LLVM knows them (source:
// llvm/lib/TargetParser/X86TargetParser.cpp).
var processors = map[string]level{
	"nehalem": sse42, "westmere": sse42, "corei7": sse42, "x86-64-v2": sse42, "silvermont": sse42, "goldmont": sse42,
	"sandybridge": avx, "ivybridge": avx, "corei7-avx": avx, "core-avx-i": avx, "btver2": avx,
	"haswell": avx2, "core-avx2": avx2, "broadwell": avx2, "skylake": avx2, "alderlake": avx2, "x86-64-v3": avx2,
	"znver1": avx2, "znver2": avx2, "znver3": avx2,
	"skylake-avx512": avx512, "skx": avx512, "cannonlake": avx512, "x86-64-v4": avx512,
	"cascadelake": vnni, "icelake-client": vnni, "icelake-server": vnni, "tigerlake": vnni, "rocketlake": vnni,
	"cooperlake": bf16, "sapphirerapids": bf16, "emeraldrapids": bf16, "graniterapids": bf16, "znver4": bf16,
	"znver5":     bf16,
	"cortex-a53": neon, "cortex-a72": neon, "cortex-a73": neon, "cortex-a76": neon, "neoverse-n1": neon, "apple-m1": neon,
}

// ParseTarget returns the target of a TVM target's text, whose option -num-cores says how
// many cores there are; without it, one is assumed.
func ParseTarget(text string) (target.Target, error) { return targetOf(text, nil) }

// targetOf returns the target of a TVM target's text and the hardware parameters
// of the log, if there are any.
//
//	llvm -keys=cpu -mcpu=icelake-server -model=platinum-8358
//	cuda -keys=cuda,gpu -arch=sm_75 -max_num_threads=1024 -model=2080ti -thread_warp_size=32
//
// A log says 64 vector bytes for every CPU: the processor's name says more. A
// log before v0.3 does not say how many cores there were; one is assumed.
func targetOf(text string, hardware []int64) (target.Target, error) {
	words := strings.Fields(text)
	if len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return target.Target{}, fmt.Errorf("the target %q does not begin with a kind, such as llvm or cuda", text)
	}
	t := target.Target{Kind: target.Kind(words[0])}
	options := map[string]string{}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		options[name] = value
	}
	h := &t.Hardware
	h.Cores = 1
	if n, err := strconv.Atoi(options["num-cores"]); err == nil && n > 0 {
		h.Cores = n
	}
	if hardware != nil {
		h.Cores, h.VectorBytes, h.CacheLineBytes = int(hardware[0]), int(hardware[1]), int(hardware[2])
		h.SharedBytes, h.LocalBytes, h.MaxThreads = int(hardware[3]), int(hardware[4]), int(hardware[5])
		h.MaxVthread, h.WarpSize = int(hardware[6]), int(hardware[7])
	}
	if t.Kind != target.LLVM {
		t.Arch = options["arch"]
		return t, nil
	}
	if h.CacheLineBytes == 0 {
		h.CacheLineBytes = 64
	}
	t.CPU = options["mcpu"]
	features := processors[t.CPU]
	if features == nil && strings.Contains(options["mtriple"], "aarch64") {
		features = neon
	}
	t.Features = slices.Sorted(slices.Values(features))
	attributes(&t, options["mattr"])
	return t, nil
}

// attributes turns features on and off, as in "+avx2,+fma,-avx512f", and sets
// what follows from them.
func attributes(t *target.Target, list string) {
	for word := range strings.SplitSeq(list, ",") {
		name := strings.TrimLeft(word, "+-")
		i, has := slices.BinarySearch(t.Features, name)
		switch {
		case name == "":
		case strings.HasPrefix(word, "-"):
			if has {
				t.Features = slices.Delete(t.Features, i, i+1)
			}
		case !has:
			t.Features = slices.Insert(t.Features, i, name)
		}
	}
	t.Hardware.VectorBytes, t.Hardware.VectorRegisters = t.Vectors()
}

// textOf returns the text of a target that wmtune measured on, as TVM writes it,
// and its hardware parameters.
func textOf(t target.Target) (string, []int64) {
	text := string(t.Kind)
	switch {
	case t.Kind == target.LLVM && t.CPU != "":
		text += " -keys=cpu -mcpu=" + t.CPU
	case t.Kind == target.LLVM:
		text += " -keys=cpu"
	case t.Kind == target.CUDA:
		text += fmt.Sprintf(" -keys=cuda,gpu -arch=%s -max_num_threads=%d -thread_warp_size=%d", t.Arch,
			t.Hardware.MaxThreads, t.Hardware.WarpSize)
	}
	if list := attributesOf(t); len(list) > 0 {
		text += " -mattr=" + strings.Join(list, ",")
	}
	var hardware []int64
	for _, v := range t.Hardware.Ansor() {
		hardware = append(hardware, int64(v))
	}
	if t.Kind != target.LLVM {
		hardware[1] = int64(t.Hardware.VectorBytes)
	}
	return text, hardware
}

// attributesOf is the reverse of attributes: it turns on the vector features that the name of the processor does not
// say, and off those that it says and the processor lacks.
func attributesOf(t target.Target) []string {
	if t.Kind != target.LLVM {
		return nil
	}
	_, text, _ := strings.Cut(t.String(), " -mattr=") // its vector features
	text, _, _ = strings.Cut(text, " ")
	var list []string
	for name := range strings.SplitSeq(text, ",") {
		if name != "" && !slices.Contains(processors[t.CPU], name) {
			list = append(list, "+"+name)
		}
	}
	for _, name := range processors[t.CPU] {
		if !t.Has(name) {
			list = append(list, "-"+name)
		}
	}
	return list
}
