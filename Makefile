# The README's two commands are `make demo` and `make test`; both make the environment they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# Bytecode is written at the first import: of this library and its tests, and of those packages that are imported. Without it,
# each test process would compile all tests again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test lint types kernels checked_kernels suite checked coverage smoke bench papers papers-full own clean

# The environment is made in two steps: the packages of the first one are enough to compile kernels.
$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable ".[exact]" pytest hypothesis
	touch $@

$(READY): $(CORE)
	$(BIN)/python tools/list_requirements.py dev docs > $(VENV)/requirements.txt
	$(PIP) --requirement $(VENV)/requirements.txt
	touch $@

demo: $(READY)
	mkdir -p demo
	$(BIN)/bnsearch sample greenhouse --rows 5000 --seed 1 -o demo/greenhouse.csv
	$(BIN)/bnsearch learn demo/greenhouse.csv --seconds 5 --seed 1 -o demo/learned.bif
	$(BIN)/bnsearch score demo/greenhouse.csv demo/learned.bif --score bic
	$(BIN)/bnsearch compare greenhouse demo/learned.bif
	$(BIN)/bnsearch convert demo/learned.bif demo/learned.svg

# The rest of the environment is made, and types are checked, while kernels are compiled.
test:
	$(MAKE) --jobs 4 kernels checked_kernels lint types SHARE=2
	$(RELEASE) $(PYTEST)
	$(CHECKED) $(PYTEST)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# Kernels are compiled before the tests start: otherwise each test process would compile them.
SHARE := 1
COMPILE = $(BIN)/python tools/compile_kernels.py --share $(SHARE)
PYTEST := $(BIN)/pytest --numprocesses 2 --dist loadscope --no-loadscope-reorder

# The packages with kernels are tested with every array access checked. Numba does not distinguish such kernels from others, so
# they have their own cache. They are optimised less than those of the user, which makes compiling them faster; their tests are
# small. tests/conftest.py says which tests run in which part.
RELEASE := BNSEARCH_TEST_PART=release
LESS_OPTIMISED := NUMBA_OPT=1 NUMBA_LOOP_VECTORIZE=0 NUMBA_SLP_VECTORIZE=0
CHECKED := BNSEARCH_TEST_PART=checked NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba_cache_checked $(LESS_OPTIMISED)

kernels: $(CORE)
	$(COMPILE)

checked_kernels: $(CORE)
	$(CHECKED) $(COMPILE)

suite: $(READY) kernels
	$(RELEASE) $(PYTEST)

checked: $(READY) checked_kernels
	$(CHECKED) $(PYTEST)

# Lines and branches of Python that no test executes. Kernels are compiled, so they are not traced and not counted.
coverage: $(READY) kernels
	$(PYTEST) --cov --cov-report term

# The wheel, installed in an empty environment, runs the README's examples.
WHEEL := build/wheel
EMPTY := build/empty

smoke: $(READY)
	rm -rf $(WHEEL) $(EMPTY)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEEL) .
	$(PYTHON) -m venv $(EMPTY)
	$(EMPTY)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt $(WHEEL)/*.whl
	cd $(WHEEL) && ../../$(EMPTY)/bin/python -W error ../../tools/doc_examples.py ../../README.md

# The site: warnings are errors, broken links between pages as well, and notebooks are executed. `make test` does the same.
SPHINX := $(BIN)/python -m sphinx --nitpicky --fail-on-warning --keep-going --quiet

.PHONY: docs docs-links

docs: $(READY)
	$(SPHINX) --builder html docs build/docs

docs-links: $(READY)
	$(SPHINX) --builder linkcheck docs build/docs-links

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[peers]"
	$(BIN)/python benchmarks/counting.py

# The experiments of the papers, one report for each plan: small versions, or everything.
export BNSEARCH_DATA ?= $(abspath ../shared/data)
EXPERIMENT := $(BIN)/bnsearch experiment --workers 2
PLANS := $(basename $(notdir $(wildcard experiments/*.toml)))

papers: $(READY)
	set -e; for plan in $(PLANS); do $(EXPERIMENT) experiments/$$plan.toml --small -o build/papers/$$plan; done

papers-full: $(READY)
	set -e; for plan in $(PLANS); do $(EXPERIMENT) experiments/$$plan.toml -o build/papers-full/$$plan; done

# learn against the other methods of this library, and against other packages.
OWN := $(basename $(notdir $(wildcard experiments/own/*.toml)))

own: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[peers]"
	set -e; for plan in $(OWN); do $(EXPERIMENT) experiments/own/$$plan.toml -o build/own/$$plan; done

clean:
	rm -rf $(VENV) .numba_cache_checked .coverage demo build dist
