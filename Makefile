# make demo: see what it does.  make test: what CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)

.PHONY: demo test lint types contract tests browser bench clean help

help:
	@echo "make demo   run the whole pipeline on sample_data/ and say what came out"
	@echo "make test   lint, types, import contract, tests (what CI runs)"
	@echo "make bench  measure against the peers (several minutes)"
	@echo "make clean  remove .venv and caches"

demo: $(VENV)/demo
	@$(BIN)/python -m sample_data.demo

test: $(VENV)/test browser lint types contract tests

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

contract:
	$(BIN)/lint-imports

tests:
	$(BIN)/python -m pytest -n auto

bench: $(VENV)/test
	$(BIN)/python -m benchmarks

# A browser for the tests of the report; without the right to install one they are skipped, in words.
browser:
ifeq ($(CHROMIUM),)
	-@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else echo "No Chromium here and no right to install one: browser tests will be skipped."; fi
endif

$(VENV)/demo: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/test: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing with the test extra into $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/demo

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
