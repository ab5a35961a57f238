"""The generator's settings: variables TETRAD_GENERATOR_*."""

from typing import Annotated

import msgspec

from generator_service.cache_budget import DEFAULT_MEBIBYTES
from tetrad.server.settings import Settings

PREFIX = "TETRAD_GENERATOR"

ONE = r"[^,\s]{32,}"
Secrets = Annotated[str, msgspec.Meta(pattern=rf"^{ONE}(,{ONE})*$")]
Tokens = Annotated[str, msgspec.Meta(pattern=rf"^{ONE}(,{ONE})?$")]


class GeneratorSettings(Settings, frozen=True, kw_only=True):
    """`seed_secret` seeds every sealed draw: whoever holds it can compute every key.

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
    `cache_mib` bounds what each process keeps to work out items and pictures faster, in MiB.
    """

    seed_secret: Secrets
    practice_token: Tokens
    sealed_token: Tokens
    keys_token: Tokens
    database_url: str
    sources_url: str
    sources_cache: str = ""
    bank: str = ""
    default_sources: str = ""
    made_beside: Annotated[str, msgspec.Meta(pattern=r"^((people|photographs)(,(people|photographs))*)?$")] = ""
    benchmark_folders: str = ""
    lost_secrets: str = ""
    cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = DEFAULT_MEBIBYTES
    log_level: str = "INFO"
