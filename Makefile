# The commands of the README: `make search`, `make test` and `make wheel`.
# Each works as the first command on a bare Debian 12 with Go.

GO          ?= go
STATICCHECK  = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK  = golang.org/x/vuln/cmd/govulncheck@v1.8.0
export CGO_ENABLED = 0

.PHONY: search test build wheel deps lint bench bench-setup microbench models conformance fuzz fuzz-readers golden clean

# Tunes the demo workload for 64 trials and says where the kernel lies.
search: build
	./bin/wmtune search --trials 64

# -w leaves out what only a debugger reads, 9 MB of 61. GOARCH=arm64 makes bin/wmtune-arm64.
build: deps
	@mkdir -p bin
	$(GO) build -trimpath -ldflags="-s -w" -o bin/wmtune$(if $(GOARCH),-$(GOARCH)) ./cmd/wmtune

# All tests: of Go, of the laboratory, of the Python package. They use a Python of this folder (.ci/python-tools).
# -count=1: tests that start processes must not be replayed from the cache. 45m: the slowest package takes 8 minutes
# alone on two cores, and several times that beside other programs.
test:
	@sh .ci/deps test
	@tools=$$(sh .ci/python-tools) && eval "$$tools" && set -x && \
		$(GO) vet ./... && $(GO) test -count=1 -timeout 45m ./... && \
		(cd lab && $(GO) vet ./... && $(GO) test -count=1 -timeout 45m ./...) && sh python/test

# Installs what is missing where apt is there and may be used; says what to
# install elsewhere.
deps:
	@sh .ci/deps

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt'ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(GOVULNCHECK) ./...
	cd lab && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...

PYTHON ?= python3

# The laboratory's commands (lab/README.md): benchmarks beside other libraries, which bench-setup installs, and the
# models in the program, of the logs in lab/models.
bench bench-setup models:
	$(MAKE) -C lab $@

# The Python package, with the binary in it: dist/wmtune-*.whl (docs/manual/python.md). GOARCH=arm64 makes that for
# aarch64.
wheel: build
	@$(if $(GOARCH),:,$(MAKE) -s build GOARCH=arm64)
	rm -f dist/wmtune-*.whl
	$(PYTHON) -m pip wheel -q --no-deps --wheel-dir dist ./python

# The Go benchmarks beside the code.
microbench: build
	$(GO) test -run '^$$' -bench . -benchtime 0.5s ./tir/... ./search/... ./dataset/... ./codegen/...

# ONNX's own node cases through compile and the bundles that come out: a table by operator. The cases are written by
# the onnx package, of WMTUNE_PYTHON or of a virtual environment of this folder.
# Then 30 random instances of each of ONNX Runtime's own operators, which onnxruntime computes.
ONNX = onnx==1.23.2 onnxruntime==1.31.1
conformance: deps
	mkdir -p .conformance
	test -n "$(WMTUNE_PYTHON)" || test -x .conformance/python/bin/python || \
		{ $(PYTHON) -m venv .conformance/python && .conformance/python/bin/pip install -q $(ONNX); }
	test -f .conformance/cases/cases.tsv || \
		$(or $(WMTUNE_PYTHON),.conformance/python/bin/python) graph/graphtest/testdata/node_cases.py .conformance/cases
	test -f .conformance/microsoft/cases.tsv || $(or $(WMTUNE_PYTHON),.conformance/python/bin/python) \
		graph/graphtest/testdata/microsoft_cases.py .conformance/microsoft 30
	WMTUNE_NODE_CASES=$(CURDIR)/.conformance/cases WMTUNE_MICROSOFT_CASES=$(CURDIR)/.conformance/microsoft $(GO) test -count=1 \
		-timeout 1h ./graph/compile ./graph/op/table -run '^(TestConformance|TestMicrosoft|TestOptimized|TestMicrosoftCases)$$' -v

# Random (DAG, steps) programs of CPUs, and of GPUs run on the processor: interpreter against
# LLVM. PROGRAMS sets how many of each. Then random graphs: the reference against the
# interpreter, after each pass as well, and against bundles. GRAPHS and BUNDLES set how many.
PROGRAMS ?= 20000
GRAPHS   ?= 5000
BUNDLES  ?= 5000
fuzz: deps
	$(GO) test -count=1 -timeout 4h ./codegen/run -run TestDifferential -programs $(PROGRAMS) -v
	$(GO) test -count=1 -timeout 4h ./graph/compile -run TestFuzz -graphs $(GRAPHS) -bundles $(BUNDLES) -v

# The readers of tuning logs, ours and AutoScheduler's, and of ONNX files, given whatever
# bytes, and shapes of any extents, FUZZTIME each. Finds are shortened by tries, not time: by default that takes a minute each.
FUZZTIME ?= 10m
fuzz-readers:
	for f in ./dataset:FuzzReadLog ./dataset:FuzzDecode ./dataset/ansor:FuzzRecords ./dataset/metaschedule:FuzzRecord \
		./nn/onnx:FuzzLoad ./graph/onnx:FuzzDecode ./graph/op/table:FuzzShapes; do \
		$(GO) test $${f%:*} -run '^$$' -fuzz $${f#*:} -fuzztime $(FUZZTIME) -fuzzminimizetime 50x || exit 1; \
	done

# Rewrites the golden files; look at the diff.
golden:
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n 1 dirname | sort -u) -update

clean:
	rm -rf bin wmtune-out
