# The verbs of the project. `make run` and `make test` need only Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NAME ?= all
DATA ?=

.PHONY: run serve test check chaos chaos-cluster bench docs sbom fmt lock clean

run: $(VENV)/.core
	$(BIN)/headwater demo run

# The demo in the browser, at http://127.0.0.1:8080.
serve: $(VENV)/.web
	$(BIN)/headwater serve --demo

# The checks run beside the tests, many of which wait for servers. The tests of a file stay in one process and share its
# fixtures; long suites come first (tests/conftest.py).
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory check & checking=$$!; \
	$(BIN)/python -m pytest tests -m "not long" -n 3 --dist loadfile --no-loadscope-reorder; tested=$$?; \
	wait $$checking && exit $$tested

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

chaos: $(VENV)/.dev
	$(BIN)/python -m pytest tests/chaos tests/flow tests/architecture/test_regular_expressions.py -m long -s -p no:randomly --ignore=tests/chaos/test_cluster.py

chaos-cluster: $(VENV)/.dev
	$(BIN)/python -m pytest tests/chaos/test_cluster.py tests/contract/test_archive.py -m long -s -p no:randomly

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks $(NAME) $(if $(DATA),--data $(DATA))

# Strict: a dead link or a page outside the navigation is an error.
docs: $(VENV)/.dev
	$(BIN)/mkdocs build --strict
	@echo "The site is in build/site; open build/site/index.html."

# The packages of this installation with versions and licences, as CycloneDX.
sbom: $(VENV)/.core
	$(BIN)/python -m headwater.cli.sbom build/sbom.json
	@echo "The software bill of materials is build/sbom.json."

fmt: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# cluster.txt is what the image needs; it takes its versions from dev.txt, with which everything was tested.
lock: $(VENV)/.dev
	$(PYTHON) -m pip --quiet install uv
	compile="$(PYTHON) -m uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.11 --group build"; \
	$$compile pyproject.toml -o requirements/core.txt && \
	$$compile --all-extras --group dev --group bench pyproject.toml -o requirements/dev.txt && \
	$$compile --extra cluster --extra postgres --extra parquet --extra nlp --extra web -c requirements/dev.txt pyproject.toml -o requirements/cluster.txt

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Packages come from the hash-pinned lock; the project itself is linked, so an edit needs no new install.
$(VENV)/.core: requirements/core.txt pyproject.toml | $(VENV)/bin/python
	@echo "Installing Headwater into $(VENV) (first time only) …"
	$(PIP) install --require-hashes -r requirements/core.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

# The lock of the image has the packages of the web server.
$(VENV)/.web: requirements/cluster.txt $(VENV)/.core
	@echo "Installing the web server …"
	$(PIP) install --require-hashes -r requirements/cluster.txt
	touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(VENV)/.core
	@echo "Installing what the tests need …"
	$(PIP) install --require-hashes -r requirements/dev.txt
	@missing="$$({ command -v chromium-headless-shell || command -v chromium; } >/dev/null || echo chromium-headless-shell) $$(command -v tesseract >/dev/null || echo tesseract-ocr tesseract-ocr-spa)"; \
	[ -z "$$(echo $$missing)" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } \
	  || { echo "The tests need $$missing, e.g. apt-get install $$missing" >&2; exit 1; }
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache headwater-data
