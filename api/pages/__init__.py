"""Pages as HTML, for anybody. Each asks the domain as the API does, and computes no figure of its own."""

from api.pages import benchmarks, boards, compare, files, front, models, puzzles, reports

MODULES = (front, boards, benchmarks, puzzles, reports, compare, models, files)
PAGES = [handler for module in MODULES for handler in module.HANDLERS]
