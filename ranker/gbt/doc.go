// Package gbt is AutoScheduler's cost model: gradient boosted trees over the
// features of ranker/feature, trained online on what was measured
// (python/tvm/auto_scheduler/cost_model/xgb_model.py). A program's score is the
// sum of the predictions of its rows, its label the best time of the task so far
// over its own.
//
// Training needs libxgboost (ranker/xgboost); prediction does not. The package
// must not know how candidates come about or what becomes of scores.
package gbt
