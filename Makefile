# Two commands set everything up on a machine with only python3, venv and make:
#   make demo   check real model replies and see what was kept, what was lost, and why
#   make test   run the whole suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORES ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: help demo test check docs bench clean

help:
	@echo "make demo    check real model replies; shows what is kept and lost, and why"
	@echo "make test    install the test extra and run the whole suite"
	@echo "make check   format, lint, types, dead code, stale docs, then the suite"
	@echo "make docs    write the generated parts of the docs anew"
	@echo "make bench   speed, memory, damage, streams, quarantine, survival, schema compilers, ledgers, the log and the linter beside the peers (60 min)"
	@echo "make clean   remove what the others made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[schema]'
	@touch $@

$(VENV)/.installed-test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@$(BIN)/python -m examples.demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(CORES)

check: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/vulture
	$(BIN)/python docs/generate.py --check
	$(BIN)/python -m bench.field --check
	$(BIN)/python -m bench.schemas --check
	$(MAKE) test

docs: $(VENV)/.installed-test
	$(BIN)/python docs/generate.py
	$(BIN)/python -m bench.field
	$(BIN)/python -m bench.schemas

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.damage
	$(BIN)/python -m bench.stream
	$(BIN)/python -m bench.quarantine
	$(BIN)/python -m bench.survival --install
	$(BIN)/python -m bench.schemas
	$(BIN)/python -m bench.dialects.realworld
	$(BIN)/python -m bench.dialects --install
	$(BIN)/python -m bench.budget
	$(BIN)/python -m bench.audit
	$(BIN)/python -m bench.lint.speed
	$(BIN)/python -m bench.lint.collect --install
	$(BIN)/python -m bench.lint.field

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
