package codegen

import "slices"

// A model is a generation of processors, as far as code for it differs.
type model struct {
	vendor string
	names  []string // LLVM's; the first stands for all
	has    []string // of telling
}

// telling are the features that tell generations apart, by LLVM's names. A system may hide some, but none has
// one that its processor lacks.
var telling = []string{
	"avx2", "avx512f", "avx512vnni", "avx512vbmi2", "avx512bf16", "avx512fp16", "amx-tile", "amx-fp16",
}

// models are the generations that there are, of each vendor the newest first (source:
// llvm/lib/TargetParser/X86TargetParser.cpp). Alder Lake and Raptor Lake are Golden Cove, whose wide vectors
// some machines have switched on.
var models = []model{
	{"Intel", []string{"graniterapids", "graniterapids-d"}, telling},
	{"Intel", []string{"sapphirerapids", "emeraldrapids", "alderlake", "raptorlake", "meteorlake"}, telling[:7]},
	{"Intel", []string{"cooperlake"}, []string{"avx2", "avx512f", "avx512vnni", "avx512bf16"}},
	{"Intel", []string{"icelake-server", "icelake-client", "rocketlake", "tigerlake"}, telling[:4]},
	{"Intel", []string{"cascadelake"}, telling[:3]},
	{"Intel", []string{"skylake-avx512", "cannonlake"}, telling[:2]},
	{"Intel", []string{"haswell", "broadwell", "skylake"}, telling[:1]},
	{"Intel", []string{"nehalem", "westmere", "sandybridge", "ivybridge"}, nil},
	{"AMD", []string{"znver4", "znver5"}, telling[:5]},
	{"AMD", []string{"znver3", "znver2", "znver1"}, telling[:1]},
}

// Processor returns the processor to generate code for: name, which is what LLVM calls this machine's, or, if
// features are on that no processor of that name has, the newest one of the vendor whose features all are. Virtual
// machines may bear the name of an older processor. Beyond are those features.
func Processor(name string, features []string) (cpu string, beyond []string) {
	k := slices.IndexFunc(models, func(m model) bool { return slices.Contains(m.names, name) })
	if k < 0 {
		return name, nil
	}
	for _, f := range telling {
		if slices.Contains(features, f) && !slices.Contains(models[k].has, f) {
			beyond = append(beyond, f)
		}
	}
	if beyond == nil {
		return name, nil
	}
	for _, m := range models {
		if m.vendor == models[k].vendor && !slices.ContainsFunc(m.has, func(f string) bool {
			return f != "amx-tile" && !slices.Contains(features, f) // which systems have to switch on
		}) {
			return m.names[0], beyond
		}
	}
	return level(features), beyond
}
