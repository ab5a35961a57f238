#!/usr/bin/env bash
# Write what each image installs as CycloneDX, under var/sbom: its lock is installed into an environment, which is listed.
set -euo pipefail
cd "$(dirname "$0")/.."
uv="${1:-.venv/bin/uv}"
folder=var/sbom
mkdir -p "$folder"
"$uv" venv --quiet --clear "$folder/tool"
"$uv" pip install --quiet --python "$folder/tool" --require-hashes -r requirements/sbom.txt
for image in api generator bulk scoring gateway objects sources; do
  locks=(-r "requirements/$image.txt")
  case "$image" in objects | sources) ;; *) locks+=(-r requirements/otel.txt) ;; esac
  "$uv" venv --quiet --clear "$folder/installed"
  "$uv" pip install --quiet --python "$folder/installed" --require-hashes "${locks[@]}"
  "$folder/tool/bin/cyclonedx-py" environment --output-reproducible --output-file "$folder/$image.cdx.json" "$folder/installed"
  echo "$folder/$image.cdx.json"
done
rm -r "$folder/installed"
