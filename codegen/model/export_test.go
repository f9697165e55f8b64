package model

// AddFeature has programs need an instruction set that the run-time does not find, until undo is called.
func AddFeature(name string) (undo func()) {
	features = append(features, name)
	return func() { features = features[:len(features)-1] }
}
