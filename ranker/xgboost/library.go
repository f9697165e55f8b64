package xgboost

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/native"
)

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

	version           func(major, minor, patch *int32)
	lastError         func() uintptr
	matrixFromMat     func(data *float32, rows, cols uint64, missing float32, out *uintptr) int32
	matrixFree        func(matrix uintptr) int32
	matrixSetFloat    func(matrix uintptr, field string, data *float32, n uint64) int32
	matrixSetUint     func(matrix uintptr, field string, data *uint32, n uint64) int32
	boosterCreate     func(matrices *uintptr, n uint64, out *uintptr) int32
	boosterFree       func(booster uintptr) int32
	boosterSetParam   func(booster uintptr, name, value string) int32
	boosterBoost      func(booster, matrix uintptr, grad, hess *float32, n uint64) int32
	boosterUpdate     func(booster uintptr, round int32, matrix uintptr) int32
	boosterPredict    func(booster, matrix uintptr, option int32, limit uint32, training int32, n *uint64, out *uintptr) int32
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
		return nil, fmt.Errorf("xgboost: %s is too old or too new: %v; apt-get install libxgboost0 has version 1.7", l.path, err)
	}
	l.version(&l.major, &l.minor, &l.patch)
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
