# make demo: see what it does.  make test: what CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := $(shell command -v chromium || command -v chromium-browser)

.PHONY: demo test lint types contract tests browser viewers bench fuzz soak test-lowest audit clean help

help:
	@echo "make demo   run the whole pipeline on sample_data/ and say what came out"
	@echo "make test   lint, types, import contract, tests (what CI runs)"
	@echo "make viewers  GLB files in the Khronos validator and in three.js (installs both by npm)"
	@echo "make bench  measure against the peers (several minutes)"
	@echo "make fuzz   COUNT=20000 mutated files, wrong plates, then sizes; see docs/reliability.md"
	@echo "make soak   CLIPS=2000 through batch while KILLS=60 processes are killed"
	@echo "make test-lowest  the core tests on the lowest versions of all dependencies"
	@echo "make audit  weaknesses of the code (bandit) and known ones of the dependencies"
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

COUNT ?= 20000
CLIPS ?= 2000
KILLS ?= 60
PROPERTIES := tests/property tests/kernels tests/export tests/inference tests/signals tests/anthropometry tests/importers tests/report \
	tests/test_frames.py

fuzz: $(VENV)/test
	$(BIN)/python -W ignore -m tests.fuzz.campaign --count $(COUNT) --first $$(date +%s)
	$(BIN)/python -W ignore -m tests.fuzz.plates
	$(BIN)/python -W ignore -m tests.fuzz.large
	HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest -n auto $(PROPERTIES)

soak: $(VENV)/test
	$(BIN)/python -m tests.hostile.soak --clips $(CLIPS) --kills $(KILLS)

# What needs peers or newer tools is left out: these are the tests of the program itself.
LOWEST := .venv-lowest
CORE := tests/importers tests/inference tests/signals tests/anthropometry tests/contact tests/ground tests/rerooting tests/mechanics tests/dynamics tests/kernels \
	tests/export tests/report tests/cli tests/batch tests/hostile tests/fuzz tests/test_config.py \
	tests/test_clips.py tests/test_truth.py

test-lowest: $(LOWEST)/installed
	$(LOWEST)/bin/python -m pytest $(CORE)

$(LOWEST)/installed: requirements-lowest.txt
	@test -x $(LOWEST)/bin/python || python3.11 -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# What is known of the packages: from PyPI, which skips what it cannot reach, and from a list that
# pip installs.
audit:
	@test -x .venv-audit/bin/bandit || { $(PYTHON) -m venv .venv-audit && \
		.venv-audit/bin/python -m pip install --quiet pip-audit bandit safety-db packaging; }
	.venv-audit/bin/bandit --quiet --recursive --severity-level medium mocap_reroot
	.venv-audit/bin/pip-audit --no-deps --disable-pip -r requirements-dev.lock
	.venv-audit/bin/python .ci/audit.py requirements-dev.lock

# A browser for the tests of the report; without the right to install one they are skipped, in words.
browser:
ifeq ($(CHROMIUM),)
	-@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else echo "No Chromium here and no right to install one: browser tests will be skipped."; fi
endif

# Other people's programs that open our GLB files; without npm these tests are skipped, in words.
viewers: $(VENV)/test browser
	@npm install --silent --no-audit --no-fund --prefix .viewers gltf-validator@2.0.0-dev.3.10 \
		three@0.180.0 || echo "npm is absent or could not install: these tests are skipped."
	$(BIN)/python -m pytest tests/viewers

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
	rm -rf $(VENV) .viewers .venv-lowest .venv-audit .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
