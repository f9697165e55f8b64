// The Python package is no Go code: with a go.mod of its own it is not part of what go install downloads.
module github.com/wmtune/wmtune/python

go 1.26.0
