"""Tables that a phone shows as blocks: each value carries the word of its column's head."""

import re

from tetrad.reporting.pages.stacking import stack_tables

TABLE = """<table class="bars"><caption>Two</caption><thead><tr><th scope="col">Name</th>
<th scope="col" class="n"><a href="/r">Score, %</a></th><th class="plot">Plot</th><th>Act &amp; "more"</th></tr></thead>
<tbody><tr><th scope="row">&lt;td&gt;</th><td class="n">1</td><td class="plot low"></td><td>x</td></tr>
<tr><td colspan="3">all</td><td>y</td></tr></tbody></table><p>after</p>"""


def test_each_cell_has_the_word_of_its_head_and_drawings_have_none() -> None:
    html = stack_tables(TABLE)
    assert re.findall(r'<(t[dh])[^>]*data-h="([^"]*)"', html) == [
        ("td", "Score, %"),
        ("td", "Act &amp; &quot;more&quot;"),
        ("td", "Act &amp; &quot;more&quot;"),
    ]
    assert '<table class="stack bars" role="table">' in html
    assert re.sub(r' (?:data-h|role)="[^"]*"', "", html.replace("stack ", "")) == TABLE


def test_all_parts_say_their_role() -> None:
    roles = re.findall(r'<(\w+)[^>]* role="(\w+)"', stack_tables(TABLE))
    assert len(roles) == TABLE.count("<t")
    assert {("th", "columnheader"), ("th", "rowheader"), ("td", "cell"), ("tr", "row")} < set(roles)
