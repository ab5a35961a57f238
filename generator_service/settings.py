"""The generator's settings: variables TETRAD_GENERATOR_*."""

from typing import Annotated, Literal

import msgspec

from generator_service.cache_budget import DEFAULT_MEBIBYTES
from tetrad.server.settings import Settings, SettingsError, variable_name

PREFIX = "TETRAD_GENERATOR"

ONE = r"[^,\s]{32,}"
Secrets = Annotated[str, msgspec.Meta(pattern=rf"^$|^{ONE}(,{ONE})*$")]
Tokens = Annotated[str, msgspec.Meta(pattern=rf"^$|^{ONE}(,{ONE})?$")]
Role = Literal["whole", "sealed", "practice"]
OF_SEALED = ("seed_secret", "sealed_token", "keys_token", "database_url")
"""The settings that everything but practice needs."""


class GeneratorSettings(Settings, frozen=True, kw_only=True):
    """`seed_secret` seeds every sealed draw: whoever holds it can compute every key.

    `role` says what this process serves: `sealed` is sealed draws and their keys, `practice` is practice items, at
    lower priority, and `whole` is both. Practice in a process of its own takes no thread of what submissions wait for,
    and has no need of the seed secret, the sealed and the keys token, and the database, which may be empty there.

    After a rotation it holds the older secrets too, behind the current one and joined by commas, while open draws
    need them. `lost_secrets` gives secrets up for good by their ids: their open draws are closed.
    The three tokens open three groups of routes: practice (the api), sealed (the api), keys (scoring only). Each
    setting may hold two tokens, joined by a comma, so that a caller can change from one to the other.
    `sources_url` names the stores of sources, file:///FOLDER or s3://BUCKET/PREFIX, joined by commas: the first takes
    what is added, the others are only read. Packs of a bucket are copied to `sources_cache`, a folder of this machine.
    `bank` is the name of the objects to draw from: household, builtin or added ones; by default household where the
    store has it, and builtin otherwise. `default_sources` names those of other kinds, KIND:NAME, joined by commas.
    `made_beside` names the kinds whose source a process beside the service makes, joined by commas.
    `benchmark_folders` are further folders of benchmarks, joined by colons, searched after our own.
    `metrics_token` opens `GET /metrics`; empty, there are no metrics.
    `cache_mib` bounds what each process keeps to work out items and pictures faster, in MiB.
    """

    practice_token: Annotated[str, msgspec.Meta(pattern=rf"^{ONE}(,{ONE})?$")]
    sources_url: str
    role: Role = "whole"
    seed_secret: Secrets = ""
    sealed_token: Tokens = ""
    keys_token: Tokens = ""
    database_url: str = ""
    sources_cache: str = ""
    bank: str = ""
    default_sources: str = ""
    made_beside: Annotated[str, msgspec.Meta(pattern=r"^((people|photographs)(,(people|photographs))*)?$")] = ""
    benchmark_folders: str = ""
    lost_secrets: str = ""
    metrics_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{16,}$")] = ""
    cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = DEFAULT_MEBIBYTES
    log_level: str = "INFO"

    def __post_init__(self) -> None:
        """Check that the process has what its role needs. Raises: SettingsError: it lacks something."""
        lacking = [name for name in OF_SEALED if not getattr(self, name)]
        if self.role != "practice" and lacking:
            named = ", ".join(variable_name(PREFIX, name) for name in lacking)
            raise SettingsError(f"{PREFIX}_ROLE={self.role} needs {named}; set them")
