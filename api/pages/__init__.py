"""Pages as HTML, for anybody. Each asks the domain as the API does, and computes no figure of its own."""

from api.pages import (
    about,
    benchmarks,
    boards,
    compare,
    draw_log,
    files,
    front,
    manual,
    models,
    puzzles,
    reference,
    reports,
    status,
    team,
    team_csv,
    team_evaluate,
    team_forms,
)

OPEN = (front, boards, benchmarks, puzzles, reports, compare, models, draw_log, status, about, manual, reference, files)
MODULES = (*OPEN, team, team_csv, team_evaluate, team_forms)
PAGES = [handler for module in MODULES for handler in module.HANDLERS]
