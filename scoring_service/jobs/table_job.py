"""An RQ job that runs what a table names and nothing else.

RQ imports whatever function a job names, and its callbacks, and posts to the webhooks it lists: whoever can write to
Redis would run code where answer keys are. Here a name is looked up before anything else is done with it, and
everything a job may carry besides a name and an id is dropped as it is read.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rq.exceptions import DeserializationError
from rq.job import Job

from tetrad.server.garbage_collection import collector_paused

ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class JobRefusedError(Exception):
    """The job is not one of ours."""


class TableJob(Job):
    """A job of `table`: name to a function of one row id."""

    table: ClassVar[Mapping[str, Callable[[str], None]]] = {}

    def restore(self, raw_data: Any) -> None:
        super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks = []
        self.group_id = None
        self.retries_left = self.repeats_left = None
        self._dependency_ids = []

    def call(self) -> Callable[[], None]:
        """Return what the job does.

        Raises:
            JobRefusedError: it names nothing in the table, or its argument is not one row id.
        """
        try:
            name, instance, args, kwargs = self.func_name, self.instance, self.args, self.kwargs
        except DeserializationError as error:
            raise JobRefusedError("its body is not JSON of a name and arguments") from error
        if not isinstance(name, str) or name not in self.table or instance is not None:
            raise JobRefusedError("it is not in the table of jobs")
        if kwargs or len(args) != 1 or not isinstance(args[0], str) or not ROW_ID.fullmatch(args[0]):
            raise JobRefusedError("its arguments are not one row id")
        function, row_id = self.table[name], args[0]
        return lambda: function(row_id)

    @property
    def func(self) -> Callable[..., None]:
        call = self.call()
        return lambda *_, **__: call()

    def perform(self) -> None:
        """Run it. Unlike RQ's, this keeps the record's time to live: a killed worker leaves nothing for ever."""
        with collector_paused():
            self.call()()


def job_class_of(table: Mapping[str, Callable[[str], None]]) -> type[TableJob]:
    """Return the job class of this table; RQ makes jobs from a class."""
    return type("ScoringJob", (TableJob,), {"table": table})
