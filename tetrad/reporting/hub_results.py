"""Write a report's headline as the `.eval_results` file of a model's repository on Hugging Face.

The file is a list of entries with `dataset` (id and task_id), `value`, `date`, `source` and `notes`. Texts are written
as JSON strings, which are YAML, too.
"""

import json

from tetrad.contracts.reports import Report
from tetrad.reporting.units import interval_in_unit


def hub_results(report: Report, *, dataset: str, task: str, url: str) -> str:
    """Return the file's text.

    Args:
        report: of a scored submission whose headline has a value.
        dataset: id of the dataset on the hub that stands for the benchmark, ORGANISATION/NAME.
        task: the name of the task there.
        url: where the report can be read.
    """
    identity, headline = report.identity, report.headline
    notes = (
        f"{headline.name} over {headline.items} fresh items, 95% interval {interval_in_unit(headline)}, track "
        f"{identity.track}, setting {identity.setting}; submission {report.submission}, commitment {report.commitment}"
    )
    lines = [
        "- dataset:",
        f"    id: {json.dumps(dataset)}",
        f"    task_id: {json.dumps(task)}",
        f"  value: {100 * (headline.value or 0.0):.2f}",
        f"  date: {json.dumps(report.scored_at[:10])}",
        "  source:",
        f"    url: {json.dumps(url)}",
        '    name: "Tetrad"',
        f"  notes: {json.dumps(notes)}",
    ]
    return "\n".join(lines) + "\n"
