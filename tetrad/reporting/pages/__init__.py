"""Parts of pages that the api and the command line share: words, charts, the stylesheet, the report's template."""

from pathlib import Path

HERE = Path(__file__).parent
STYLE = HERE / "tetrad.css"
ENLARGE = HERE / "enlarge.js"
