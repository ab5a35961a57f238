#!/usr/bin/env bash
# Run `tetrad ci` with the options of $TETRAD_OPTIONS, show its summary, and exit with its status.
# TETRAD_OPTIONS   options of `tetrad ci`, as typed in a shell: "--benchmark kiva --model mine --least-accuracy 0.6"
# TETRAD_OUT       the folder for summary.md, junit.xml, result.json and report.html (tetrad-ci)
# TETRAD_UNSURE    what "could not tell" (exit 2) is: fail (the default) or pass
# In GitHub Actions the summary goes to the job's page, and `outcome` and `submission` are outputs of the step.
set -euo pipefail

out="${TETRAD_OUT:-tetrad-ci}"
# The options are the user's own shell words; xargs splits them and runs nothing of them.
mapfile -t options < <(xargs -n 1 printf '%s\n' <<<"${TETRAD_OPTIONS:?name the options of tetrad ci}")
status=0
tetrad ci "${options[@]}" --out "$out" || status=$?

if [[ -f "$out/summary.md" && "$status" -le 2 ]]; then
    [[ -z "${GITHUB_STEP_SUMMARY:-}" ]] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
case "$status" in
    0) outcome=pass ;;
    1) outcome=fail ;;
    2) outcome=could-not-tell ;;
    *) outcome=error ;;
esac
if [[ -n "${GITHUB_OUTPUT:-}" ]]; then
    echo "outcome=$outcome" >>"$GITHUB_OUTPUT"
    if [[ "$status" -le 2 ]]; then
        echo "submission=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["candidate"]["submissions"][0])' "$out/result.json")" >>"$GITHUB_OUTPUT"
    fi
fi
if [[ "$status" -eq 2 && "${TETRAD_UNSURE:-fail}" == pass ]]; then
    echo "could not tell: this job takes it for a pass (TETRAD_UNSURE)"
    exit 0
fi
exit "$status"
