"""Every job: those of this package, and those of benchmarks."""

import importlib
import pkgutil
from importlib.util import find_spec

from generator_service import benchmarks
from generator_service.mining import measures
from generator_service.mining.jobs import Job
from generator_service.mining.situations import job as situations


def jobs() -> dict[str, Job]:
    """Return every job by name. A benchmark's folder brings one where it has a module `mining`."""
    by_name = {job.name: job for job in (measures.JOB, situations.JOB)}
    for module in pkgutil.iter_modules(benchmarks.__path__):
        name = f"{benchmarks.__name__}.{module.name}.mining"
        if module.ispkg and find_spec(name) is not None:
            job: Job = importlib.import_module(name).JOB
            by_name[job.name] = job
    return by_name
