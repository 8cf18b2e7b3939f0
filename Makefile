# The README's two commands are `make demo` and `make test`; both make the environment they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types suite checked bench clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

demo: $(READY)
	mkdir -p demo
	$(BIN)/bnsearch sample greenhouse --rows 5000 --seed 1 -o demo/greenhouse.csv
	$(BIN)/bnsearch learn demo/greenhouse.csv --seconds 5 --seed 1 -o demo/learned.bif
	$(BIN)/bnsearch score demo/greenhouse.csv demo/learned.bif --score bic
	$(BIN)/bnsearch compare greenhouse demo/learned.bif
	$(BIN)/bnsearch convert demo/learned.bif demo/learned.svg

test: lint types suite checked

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# A file's tests stay in one process: two at once would compile the same kernels.
PYTEST := $(BIN)/pytest --numprocesses 2 --dist loadfile

suite: $(READY)
	$(PYTEST)

# The kernels once more with every array access checked; compiled apart, because the cache does not tell the two.
checked: $(READY)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba_cache_checked HYPOTHESIS_PROFILE=checked \
		$(PYTEST) tests/counting tests/scores tests/parent_sets tests/selection \
		tests/orderings tests/ondemand tests/exact tests/dags tests/independence tests/equivalence tests/genetic

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[peers]"
	$(BIN)/python benchmarks/counting.py

clean:
	rm -rf $(VENV) .numba_cache_checked demo build dist
