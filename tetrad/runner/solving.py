"""The solvers that ship with Tetrad, as responders."""

from tetrad.runner.ports import Prompt, RefusedError, Responder


def solver_responder(name: str, *, seed: int = 0) -> Responder:
    """Answer with a solver of tetrad.solvers: random, constant, text-only, pixel-solver.

    Raises:
        RefusedError: there is no such solver, or the extra `solvers` is not installed.
    """
    try:
        # Here and not above: the runner works without NumPy and Pillow, these solvers don't.
        from tetrad.solvers import UnknownSolverError, open_solver  # noqa: PLC0415
        from tetrad.solvers.pictures import PictureError  # noqa: PLC0415
    except ImportError as error:
        raise RefusedError("solvers need NumPy and Pillow: pip install 'tetrad[solvers]'") from error
    try:
        solver = open_solver(name, seed=seed)
    except UnknownSolverError as error:
        raise RefusedError(str(error)) from error

    def respond(prompt: Prompt) -> str:
        try:
            return solver.reply(prompt.messages)
        except PictureError as error:
            raise RefusedError(str(error)) from error

    return respond
