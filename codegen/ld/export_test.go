package ld

import "debug/elf"

// What tests see of this package.

type Library = library

var System, Find, OfC = system, find, ofC

func (o *Object) SharedWith(opt Options, libraries []Library) ([]byte, error) {
	return o.shared(opt, libraries)
}

// FirstReloc returns what the first relocation consists of, and the section of its symbol.
func (o *Object) FirstReloc() (kind *elf.R_X86_64, addend *int64, section *int) {
	for _, s := range o.Sections {
		if len(s.Relocs) > 0 {
			r := &s.Relocs[0]
			return &r.Kind, &r.Addend, &o.Symbols[r.Symbol].Section
		}
	}
	return nil, nil, nil
}
