"""Pages as HTML, for anybody. Each asks the domain as the API does, and computes no figure of its own."""

from api.pages import benchmarks, boards, files, front, puzzles, reports

PAGES = [handler for module in (front, boards, benchmarks, puzzles, reports, files) for handler in module.HANDLERS]
