"""A report as one HTML page without external resources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources

from bnsearch.experiments.report.blocks import Block, Details, Entry, Figure, Heading, Items, Paragraph, Table


def render_html(blocks: Sequence[Block], title: str) -> str:
    """Return a report as an HTML page; its style is in `style.css`."""
    style = resources.files("bnsearch.experiments.report").joinpath("style.css").read_text(encoding="utf-8")
    contents = [block for block in blocks if isinstance(block, Heading) and block.level == 2]
    links = "".join(f'<a href="#{_name(block.text)}">{escape(block.text)}</a>' for block in contents)
    body = "\n".join(_render_blocks(blocks))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<nav>{links}</nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _render_blocks(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            name = f' id="{_name(block.text)}"' if block.level == 2 else ""
            yield f"<h{block.level}{name}>{escape(block.text)}</h{block.level}>"
        elif isinstance(block, Paragraph):
            yield f"<p>{escape(block.text)}</p>"
        elif isinstance(block, Items):
            yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in block.texts) + "</ul>"
        elif isinstance(block, Table):
            yield _render_table(block)
        elif isinstance(block, Figure):
            yield f"<figure>{block.svg}<figcaption>{escape(block.caption)}</figcaption></figure>"
        else:
            assert isinstance(block, Details)
            inner = "\n".join(_render_blocks(block.blocks))
            yield f"<details><summary>{escape(block.summary)}</summary>\n{inner}\n</details>"


def _render_table(table: Table) -> str:
    kind = "numbers" if table.is_numeric else "texts"
    head = "".join(f"<th>{escape(heading)}</th>" for heading in table.headings)
    rows = []
    for place, row in enumerate(table.rows):
        name = f' id="{escape(table.anchors[place])}"' if table.anchors and table.anchors[place] else ""
        rows.append(f"<tr{name}>" + "".join(map(_render_entry, row)) + "</tr>")
    body = "\n".join(rows)
    return (
        f'<div class="table"><table class="{kind}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _render_entry(entry: Entry | str) -> str:
    if isinstance(entry, str):
        return f"<td>{escape(entry)}</td>"
    text = escape(entry.text)
    if entry.is_best:
        text = f"<b>{text}</b>"
    if entry.is_tied:
        text += '<span class="tie" title="tied with other methods">=</span>'
    if entry.target:
        text = f'<a href="{escape(entry.target)}">{text}</a>'
    if entry.note:
        text += f'<span class="note">{escape(entry.note)}</span>'
    tooltip = f' title="{escape(entry.tooltip)}"' if entry.tooltip else ""
    return f"<td{tooltip}>{text}</td>"


def _name(text: str) -> str:
    """Return the name of a heading for links."""
    return "".join(c if c.isalnum() else "-" for c in text.lower())
