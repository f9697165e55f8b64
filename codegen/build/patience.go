package build

// patience is how many times as long as of a candidate the compilation of what is no
// candidate for this processor may take: a candidate is no good if it takes so long, but of
// programs of a GPU, and of ours, the time says nothing, except that the machine is busy.
const patience = 12

// patient returns b with more time for each compilation.
func (b *Builder) patient() *Builder {
	p := *b
	p.cfg.Timeout *= patience
	return &p
}
