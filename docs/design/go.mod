// Pages are read in a clone: with a go.mod of its own this folder is not part of what go install downloads.
module github.com/wmtune/wmtune/docs/design

go 1.26.0
