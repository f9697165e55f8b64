// Package xgboost trains gradient boosted trees with libxgboost, which it loads
// at run time, without cgo. Prediction does not need it: see ranker/gbt.
//
// It is a leaf package: it must not know what the numbers mean, and imports
// nothing of ours.
package xgboost
