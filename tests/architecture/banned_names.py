"""Names that tell nothing: `one` for what a loop goes over, functions called by a bare participle.

python -m tests.architecture.banned_names FOLDER...     prints them
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PARTICIPLE = re.compile(
    "begun|bought|broken|brought|built|caught|chosen|done|drawn|driven|fallen|felt|forgotten|fought|found|frozen|given|"
    "gone|grown|heard|held|hidden|kept|known|laid|learnt|led|left|lent|lost|made|meant|mistaken|paid|proven|risen|said|"
    "seen|sent|shaken|shown|sold|sought|spent|spoken|stolen|stood|struck|sworn|taken|taught|thought|told|torn|"
    "understood|won|woken|worn|woven|written|[a-z]+ed"
)
NO_PARTICIPLE = re.compile("bed|bleed|breed|embed|exceed|feed|greed|heed|need|proceed|red|seed|shed|speed")
PROPERTY = re.compile("property$|setter$")


def banned_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield lines and names: `one` that a loop or a comprehension binds, functions called by a bare participle.

    A property is a value, so it may be called so.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            names = [name for name in ast.walk(node.target) if isinstance(name, ast.Name)]
            yield from ((name.lineno, name.id) for name in names if name.id == "one")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            word = node.name.strip("_")
            is_property = any(PROPERTY.search(ast.unparse(decorator)) for decorator in node.decorator_list)
            if PARTICIPLE.fullmatch(word) and not NO_PARTICIPLE.fullmatch(word) and not is_property:
                yield node.lineno, node.name


def main(folders: list[str]) -> int:
    found = [
        f"{path}:{line}: {name}"
        for folder in map(Path, folders)
        for path in (sorted(folder.rglob("*.py")) if folder.is_dir() else [folder])
        for line, name in sorted(banned_names(path.read_text()))
    ]
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
