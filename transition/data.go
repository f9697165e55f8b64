package transition

// Data is what networks learn from: trajectories of tasks.
type Data struct {
	Actions []float32   // vectors, Size numbers each
	Vectors [][]float32 // of states, from the encoder; nil without one
	Groups  []Group
}

// A Group is the trajectories of a task.
type Group struct {
	Start   []float32 // Start's numbers of the task
	Samples []Sample
}

// A Sample is one trajectory.
type Sample struct {
	Actions []int32     // rows of Data.Actions
	States  []int32     // rows of Data.Vectors, one more than actions; nil if not known
	Partial int         // actions up to the partial state (Partial); 0: not known
	Quality float64     // the task's best cost over its own; 0 if it failed
	Facts   [][]float32 // about the states, as many as there are states; nil: none, or of the last only
	Last    []float32   // facts about the last state; nil if not known
}

// action returns the vector of a row.
func (d *Data) action(row int32) []float32 { return d.Actions[int(row)*Size:][:Size] }
