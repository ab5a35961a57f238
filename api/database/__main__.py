"""Look for damage in the api's database, for example before a backup: python -m api.database.

With --upgrade, bring it to this version's tables instead: what the api itself does when it starts.
"""

import os
import sys
from collections.abc import Sequence

from api.database.upgrading import upgrade
from api.settings import PREFIX, ApiSettings, PostgresRole
from tetrad.server.database import make_engine
from tetrad.server.database_damage import DatabaseDamagedError, check_database
from tetrad.server.logs import configure_logs
from tetrad.server.settings import Settings, SettingsError, load_settings


class UpgradeSettings(Settings, frozen=True, kw_only=True):
    """The settings that an upgrade needs: no token and no secret but the database's."""

    database_url: str
    scoring_role: PostgresRole = ""
    bulk_role: PostgresRole = ""
    log_level: str = "INFO"


def main(arguments: Sequence[str] = ()) -> None:
    """Read or upgrade the database of TETRAD_API_DATABASE_URL. Exits with a message if it is damaged."""
    if list(arguments) == ["--upgrade"]:
        upgrade_database()
    elif arguments:
        sys.exit(__doc__)
    else:
        read_database()


def upgrade_database() -> None:
    try:
        settings = load_settings(UpgradeSettings, PREFIX, os.environ)
    except SettingsError as error:
        sys.exit(str(error))
    configure_logs("api", settings.log_level)
    upgrade(make_engine(settings.database_url), settings.scoring_role, settings.bulk_role)
    print("the database has the tables of this version")  # noqa: T201 -- a command's last word


def read_database() -> None:
    try:
        settings = load_settings(ApiSettings, PREFIX, os.environ)
        configure_logs("api", settings.log_level)
        check_database(make_engine(settings.database_url))
    except (SettingsError, DatabaseDamagedError) as error:
        sys.exit(str(error))
    print("the database was read, and no damage was found")  # noqa: T201 -- a command's last word


if __name__ == "__main__":
    main(sys.argv[1:])
