package xgboost

import (
	"fmt"
	"math"
	"runtime"

	"github.com/wmtune/wmtune/codegen/native"
)

// A Param is a training parameter, as XGBoost names it.
type Param struct{ Name, Value string }

// An Objective is the loss that trees are grown for: before each round it gets
// the prediction of every row so far and sets the loss's first and second
// derivative by it. It returns false to stop before the round.
type Objective func(round int, pred, grad, hess []float32) bool

// Data is rows of features, one after the other. NaN is missing.
type Data struct {
	Values  []float32
	Columns int
}

// Rows returns the number of rows.
func (d Data) Rows() int { return len(d.Values) / d.Columns }

// A Format is a way to write a model.
type Format string

// The formats: JSON, which later versions of XGBoost read, and the binary one
// of old, which libraries for prediction read.
const (
	JSON   Format = "json"
	Binary Format = "deprecated"
)

// Train grows trees, at most one in each of so many rounds, until the objective
// stops, and returns the model in a format. The same arguments give the same
// model if the parameter nthread is given and the same.
func (l *Library) Train(d Data, params []Param, rounds int, objective Objective, f Format) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return l.grow(d, params, f, nil, func(b *booster, m uintptr) error { return b.train(m, d.Rows(), rounds, objective) })
}

// Labels is what rows are to be predicted as, or in what order.
type Labels struct {
	Values []float32 // one per row
	Groups []uint32  // for rankings: how many rows each group has, in order; nil means that all are one
}

// Fit grows so many trees for one of XGBoost's own objectives, which params name,
// and returns the model in a format. The same arguments give the same model if the
// parameter nthread is given and the same.
func (l *Library) Fit(d Data, y Labels, params []Param, rounds int, f Format) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if len(y.Values) != d.Rows() {
		return nil, fmt.Errorf("xgboost: train: %d labels for %d rows", len(y.Values), d.Rows())
	}
	if n := total(y.Groups); y.Groups != nil && n != d.Rows() {
		return nil, fmt.Errorf("xgboost: train: groups of %d rows together, and %d rows", n, d.Rows())
	}
	return l.grow(d, params, f, &y, func(b *booster, m uintptr) error {
		for round := range rounds {
			if err := l.check("grow a tree", l.boosterUpdate(b.handle, int32(round), m)); err != nil {
				return err
			}
		}
		return nil
	})
}

func total(groups []uint32) int {
	n := 0
	for _, g := range groups {
		n += int(g)
	}
	return n
}

// check returns why d is no rows.
func (d Data) check() error {
	if d.Columns < 1 || len(d.Values) == 0 || len(d.Values)%d.Columns != 0 {
		return fmt.Errorf("xgboost: train: %d values are no rows of %d columns", len(d.Values), d.Columns)
	}
	return nil
}

// grow makes a booster with params, has it trained and returns it in a format.
func (l *Library) grow(d Data, params []Param, f Format, y *Labels, train func(b *booster, m uintptr) error) ([]byte, error) {
	defer locked()()
	m, err := l.matrix(d)
	if err != nil {
		return nil, err
	}
	defer l.matrixFree(m)
	if y != nil {
		if err := l.check("take over labels", l.matrixSetFloat(m, "label", &y.Values[0], uint64(len(y.Values)))); err != nil {
			return nil, err
		}
		if len(y.Groups) > 0 {
			if err := l.check("take over groups", l.matrixSetUint(m, "group", &y.Groups[0], uint64(len(y.Groups)))); err != nil {
				return nil, err
			}
		}
	}
	b, err := l.newBooster(&m, 1)
	if err != nil {
		return nil, err
	}
	defer l.boosterFree(b.handle)
	for _, p := range params {
		if err := l.check("set "+p.Name, l.boosterSetParam(b.handle, p.Name, p.Value)); err != nil {
			return nil, err
		}
	}
	if err := train(b, m); err != nil {
		return nil, err
	}
	return b.save(f)
}

// Predict returns the sum of the trees of a model for each row, before any
// transformation.
func (l *Library) Predict(model []byte, d Data) ([]float32, error) {
	if len(d.Values) == 0 || len(model) == 0 {
		return nil, nil
	}
	defer locked()()
	b, err := l.newBooster(nil, 0)
	if err != nil {
		return nil, err
	}
	defer l.boosterFree(b.handle)
	if err := l.check("read the model", l.boosterLoadBuffer(b.handle, &model[0], uint64(len(model)))); err != nil {
		return nil, err
	}
	m, err := l.matrix(d)
	if err != nil {
		return nil, err
	}
	defer l.matrixFree(m)
	return b.margins(m, false)
}

// locked keeps a goroutine on its thread until the function that it returns is
// called: XGBoost keeps what it has predicted, and its last error, by thread.
func locked() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func (l *Library) matrix(d Data) (uintptr, error) {
	var m uintptr
	code := l.matrixFromMat(&d.Values[0], uint64(d.Rows()), uint64(d.Columns), float32(math.NaN()), &m)
	return m, l.check("take over rows", code)
}

// A booster is a model inside the library.
type booster struct {
	l      *Library
	handle uintptr
}

func (l *Library) newBooster(matrices *uintptr, n uint64) (*booster, error) {
	b := &booster{l: l}
	return b, l.check("create a booster", l.boosterCreate(matrices, n, &b.handle))
}

func (b *booster) train(m uintptr, rows, rounds int, objective Objective) error {
	grad, hess := make([]float32, rows), make([]float32, rows)
	for round := range rounds {
		pred, err := b.margins(m, true)
		if err != nil {
			return err
		}
		if !objective(round, pred, grad, hess) {
			return nil
		}
		if err := b.l.check("grow a tree", b.l.boosterBoost(b.handle, m, &grad[0], &hess[0], uint64(rows))); err != nil {
			return err
		}
	}
	return nil
}

func (b *booster) margins(m uintptr, training bool) ([]float32, error) {
	const asMargin, allTrees = 1, 0
	mode := int32(0)
	if training {
		mode = 1
	}
	var n uint64
	var out uintptr
	if err := b.l.check("predict", b.l.boosterPredict(b.handle, m, asMargin, allTrees, mode, &n, &out)); err != nil {
		return nil, err
	}
	return native.Copy[float32](out, n), nil
}

func (b *booster) save(f Format) ([]byte, error) {
	var n uint64
	var out uintptr
	if err := b.l.check("save the model", b.l.boosterSaveBuffer(b.handle, fmt.Sprintf(`{"format": %q}`, f), &n, &out)); err != nil {
		return nil, err
	}
	return native.Copy[byte](out, n), nil
}

// Convert returns a model in another format. What the binary format cannot hold,
// such as names of columns, is lost in it.
func (l *Library) Convert(model []byte, f Format) ([]byte, error) {
	if len(model) == 0 {
		return nil, fmt.Errorf("xgboost: convert: an empty model")
	}
	defer locked()()
	b, err := l.newBooster(nil, 0)
	if err != nil {
		return nil, err
	}
	defer l.boosterFree(b.handle)
	if err := l.check("read the model", l.boosterLoadBuffer(b.handle, &model[0], uint64(len(model)))); err != nil {
		return nil, err
	}
	return b.save(f)
}
