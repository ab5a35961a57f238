"""Bring the record to this version's tables, as a generator does at its start: python -m generator_service.sealing."""

import os
import sys

from generator_service.sealing.record import Record
from generator_service.settings import PREFIX
from tetrad.server.logs import configure_logs
from tetrad.server.settings import Settings, SettingsError, load_settings


class UpgradeSettings(Settings, frozen=True, kw_only=True):
    """The settings that an upgrade needs: no token and no secret but the database's."""

    database_url: str
    log_level: str = "INFO"


def main() -> None:
    """Upgrade the database of TETRAD_GENERATOR_DATABASE_URL."""
    try:
        settings = load_settings(UpgradeSettings, PREFIX, os.environ)
    except SettingsError as error:
        sys.exit(str(error))
    configure_logs("generator", settings.log_level)
    Record(settings.database_url).close()
    print("the record has the tables of this version")  # noqa: T201 -- a command's last word


if __name__ == "__main__":
    main()
