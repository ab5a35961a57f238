"""Fetch what the page of a report shows: the card, the first wrong answers, and their pictures.

It stands alone because `tetrad report` shows, and this asks for a hundred things to show.
"""

from tetrad.client import Client, TetradError
from tetrad.client.pages import every_page
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import RevealedItem
from tetrad.reporting.pages.report_file import picture_addresses, report_file, wanted_questions


def write_report_file(client: Client, submission: str, report: Report) -> str:
    """Return a scored submission's report as one HTML page."""
    try:
        about = client.submission(submission)
        model, team = about.model, about.team
    except TetradError:  # of another team: its report alone is public
        model, team = submission, report.identity.benchmark
    wanted = wanted_questions(report)
    items = revealed_until(client, submission, max(item for item, _ in wanted)) if wanted else []
    pictures = {address: client.picture(address) for address in picture_addresses(items, wanted)}
    try:
        card = client.benchmark(report.identity.benchmark).card
    except TetradError:
        card = None
    return report_file(report, card, items, pictures, model=model, team=team)


def revealed_until(client: Client, submission: str, last: int) -> list[RevealedItem]:
    """Return the revealed items up to one."""
    found: list[RevealedItem] = []
    for page in every_page(lambda cursor: client.revealed_items(submission, cursor=cursor, limit=50)):
        found += page.items
        if page.items[-1].item >= last:
            break
    return found
