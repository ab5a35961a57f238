"""Look for damage in the api's database, for example before a backup: python -m api.database."""

import os
import sys

from api.settings import PREFIX, ApiSettings
from tetrad.server.database import make_engine
from tetrad.server.database_damage import DatabaseDamagedError, check_database
from tetrad.server.logs import configure_logs
from tetrad.server.settings import SettingsError, load_settings


def main() -> None:
    """Read the database of TETRAD_API_DATABASE_URL. Exits with a message if it is damaged."""
    try:
        settings = load_settings(ApiSettings, PREFIX, os.environ)
        configure_logs("api", settings.log_level)
        check_database(make_engine(settings.database_url))
    except (SettingsError, DatabaseDamagedError) as error:
        sys.exit(str(error))
    print("the database was read, and no damage was found")  # noqa: T201 -- a command's last word


if __name__ == "__main__":
    main()
