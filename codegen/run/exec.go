package run

import (
	"fmt"

	"github.com/wmtune/wmtune/dataset/measure"
)

// exec calls a kernel once on the inputs in blobs, after the run-time and the
// kernel, and returns its outputs.
func (w *worker) exec(o *execOrder, blobs [][]byte, ans *answer) error {
	s := o.Task
	if len(blobs) != 2+len(s.inputs()) {
		return fmt.Errorf("run: worker: %d blobs for %d inputs", len(blobs), len(s.inputs()))
	}
	if err := w.found(s, blobs[0]); err != nil {
		return err
	}
	p, err := w.base.link(blobs[1], s.Symbol, o.Packs)
	if err != nil {
		ans.Status, ans.Message = measure.LoadError, err.Error()
		return nil
	}
	defer p.close()
	place, err := newPlacement(s, o.Side, blobs[2:])
	if err != nil {
		return err
	}
	defer place.close()
	place.poison(s, poisonNaN)
	defer w.base.guardBlocks()()
	args, bad, err := place.argsOf(w.page, s, p)
	if err != nil {
		return err
	}
	if bad != "" {
		ans.Status, ans.Message = measure.WrongAnswer, bad
		return nil
	}
	p.call(w.page, args, 1)
	ans.Status = measure.OK
	for i, g := range place.outputs() {
		if bad := g.damageText(); bad != "" {
			ans.Status, ans.Message = measure.WrongAnswer, bad+" of output "+s.outputs()[i].Name
		}
		ans.outputs = append(ans.outputs, append([]byte(nil), g.data...))
	}
	return nil
}

// found links the run-time, once per process.
func (w *worker) found(s *signature, runtimeObject []byte) error {
	if w.base != nil {
		return nil
	}
	if err := confine(s); err != nil {
		return err
	}
	base, err := linkBase(runtimeObject, s.Cores)
	if err != nil {
		return fmt.Errorf("run: the run-time: %w", err)
	}
	w.base = base
	return nil
}
