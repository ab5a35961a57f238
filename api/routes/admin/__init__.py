"""The operators' part of the API, under /v1/admin."""

from api.routes.admin import outcomes, records, teams

MODULES = (teams, outcomes, records)
