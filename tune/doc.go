// Package tune is the library that a program imports to tune a workload: it searches on a
// machine, keeps the log, verifies what it measured and hands over the best kernel. The
// command wmtune search is flags and printing around it.
//
//	func main() {
//		machine.WorkerMain()
//		m, err := machine.Open(ctx, "llvm", machine.Options{})
//		w, err := workload.Find("matmul:m=512,n=512,k=512")
//		r, err := tune.Run(ctx, m, w, tune.Options{Trials: 64, Observer: tune.Logger(os.Stderr)})
//		err = r.WriteTo("out")
//	}
//
// It must not know of flags, terminals or the environment.
package tune
