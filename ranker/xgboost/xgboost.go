// Package xgboost trains gradient boosted trees with libxgboost, which it loads
// at run time, without cgo. Prediction does not need it: see ranker/gbt.
//
// It must not know what the numbers mean, and imports nothing of ours but
// codegen/native, which calls the library.
package xgboost

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"

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
func (l *Library) grow(
	d Data, params []Param, f Format, y *Labels, train func(b *booster, m uintptr) error,
) ([]byte, error) {
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
	if err := b.l.check("save the model",
		b.l.boosterSaveBuffer(b.handle, fmt.Sprintf(`{"format": %q}`, f), &n, &out)); err != nil {
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

// ErrMissing means that libxgboost is not installed.
var ErrMissing = errors.New("libxgboost is not installed: on Debian, apt-get install libxgboost0; " +
	"elsewhere install XGBoost's shared library, version 1.x or 2.x, or set WMTUNE_XGBOOST to the path of one")

// sonames lists the libraries that are looked for, best first: Debian's, then
// what other systems call it.
var sonames = []string{"libxgboost.so.0", "libxgboost.so", "libxgboost.so.1", "libxgboost.so.2"}

// A Library is a loaded libxgboost. It may be used by several goroutines at
// once.
type Library struct {
	path                string
	major, minor, patch int32

	version         func(major, minor, patch *int32)
	lastError       func() uintptr
	matrixFromMat   func(data *float32, rows, cols uint64, missing float32, out *uintptr) int32
	matrixFree      func(matrix uintptr) int32
	matrixSetFloat  func(matrix uintptr, field string, data *float32, n uint64) int32
	matrixSetUint   func(matrix uintptr, field string, data *uint32, n uint64) int32
	boosterCreate   func(matrices *uintptr, n uint64, out *uintptr) int32
	boosterFree     func(booster uintptr) int32
	boosterSetParam func(booster uintptr, name, value string) int32
	boosterBoost    func(booster, matrix uintptr, grad, hess *float32, n uint64) int32
	boosterUpdate   func(booster uintptr, round int32, matrix uintptr) int32
	boosterPredict  func(
		booster, matrix uintptr, option int32, limit uint32, training int32, n *uint64, out *uintptr,
	) int32
	boosterLoadBuffer func(booster uintptr, data *byte, n uint64) int32
	boosterSaveBuffer func(booster uintptr, config string, n *uint64, out *uintptr) int32
}

func (l *Library) symbols() native.Symbols {
	return native.Symbols{
		"XGBoostVersion":               &l.version,
		"XGBGetLastError":              &l.lastError,
		"XGDMatrixCreateFromMat":       &l.matrixFromMat,
		"XGDMatrixFree":                &l.matrixFree,
		"XGDMatrixSetFloatInfo":        &l.matrixSetFloat,
		"XGDMatrixSetUIntInfo":         &l.matrixSetUint,
		"XGBoosterCreate":              &l.boosterCreate,
		"XGBoosterFree":                &l.boosterFree,
		"XGBoosterSetParam":            &l.boosterSetParam,
		"XGBoosterBoostOneIter":        &l.boosterBoost,
		"XGBoosterUpdateOneIter":       &l.boosterUpdate,
		"XGBoosterPredict":             &l.boosterPredict,
		"XGBoosterLoadModelFromBuffer": &l.boosterLoadBuffer,
		"XGBoosterSaveModelToBuffer":   &l.boosterSaveBuffer,
	}
}

// Load opens the library at path, or if that is empty the one that is installed.
// The error says what to install, and is ErrMissing if there is none.
func Load(path string) (*Library, error) {
	handle, err := native.Open(path, sonames...)
	if err != nil {
		return nil, fmt.Errorf("xgboost: %w (%v)", ErrMissing, err)
	}
	l := &Library{path: handle.Path}
	if err := handle.Bind(l.symbols()); err != nil {
		return nil, fmt.Errorf("xgboost: %s is too old or too new: %v; apt-get install libxgboost0 has version 1.7", l.path,
			err)
	}
	l.version(&l.major, &l.minor, &l.patch)
	if l.major > 3 || l.major == 3 && l.minor > 0 { // it would train first, and then refuse to write the model
		return nil, fmt.Errorf("xgboost: %w (%s no longer writes the binary format)", ErrMissing, l)
	}
	return l, nil
}

// String returns the name of the library and its version.
func (l *Library) String() string {
	return fmt.Sprintf("%s %d.%d.%d", l.path, l.major, l.minor, l.patch)
}

// check returns the error of a call that returned code.
func (l *Library) check(what string, code int32) error {
	if code == 0 {
		return nil
	}
	text, _, _ := strings.Cut(native.String(l.lastError()), "\n")
	return fmt.Errorf("xgboost: %s: %s", what, strings.TrimSpace(text))
}
