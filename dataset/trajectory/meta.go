package trajectory

// A Meta says what a dataset was made from, and by what.
type Meta struct {
	Tool   string // version of wmtune
	Splits string // split.Rules.ID
	Coder  string // Coder.Name
	Vector int    // numbers in an action's vector
	Seed   uint64 // of the draw, if Share is less than 1
	Share  float64
	Shard  int // which part of Shards this is, from 0
	Shards int // 1 if the dataset is whole

	Tasks, Trajectories, States, Actions int
	Inputs                               []Input // by SHA-256
}

// An Input is a log that a dataset was made from.
type Input struct {
	Name    string // of the file, without the folder
	SHA256  string
	Bytes   int64
	Records int64 // before any were drawn
}
