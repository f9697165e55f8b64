package run

// WorkerPID returns the process number of the runner's worker, or 0.
func (r *Runner) WorkerPID() int {
	if r.proc == nil {
		return 0
	}
	return r.proc.PID()
}

// Calling returns a function that reports whether the worker of now is calling a
// kernel. It must not be called once the worker is gone.
func (r *Runner) Calling() func() bool {
	page := r.proc.page
	return func() bool { return page.running() > 0 }
}

// ReferenceCalls returns how often the reference has run for the task.
func (r *Runner) ReferenceCalls() int { return r.references }

// Bounded reports whether a candidate of the task bounds what later ones may take.
func (r *Runner) Bounded() bool { return r.best > 0 || r.anchor != nil }
