"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnsearch.experiments.report.blocks import Block, Details, Entry, Figure, Heading, Items, Paragraph, Table


def render_markdown(blocks: Sequence[Block]) -> str:
    """Return a report as Markdown; drawings are left out."""
    return "\n\n".join(_render_blocks(blocks)) + "\n"


def _render_blocks(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"{'#' * block.level} {escape(block.text)}"
        elif isinstance(block, Paragraph):
            yield escape(block.text)
        elif isinstance(block, Items):
            yield "\n".join(f"- {escape(text)}" for text in block.texts)
        elif isinstance(block, Table):
            yield _render_table(block)
        elif isinstance(block, Details):
            if not block.is_long:
                yield f"**{escape(block.summary)}**"
                yield from _render_blocks(block.blocks)
        else:
            assert isinstance(block, Figure)


def _render_table(table: Table) -> str:
    rule = "---:" if table.is_numeric else "---"
    lines = [list(map(escape, table.headings)), ["---", *[rule] * (len(table.headings) - 1)]]
    lines += [[_render_entry(entry) for entry in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _render_entry(entry: Entry | str) -> str:
    if isinstance(entry, str):
        return escape(entry)
    text = f"**{escape(entry.text)}**" if entry.is_best else escape(entry.text)
    text += " =" if entry.is_tied else ""
    text += f" {escape(entry.note)}" if entry.note else ""
    return f"[{text}]({entry.target})" if entry.target and not entry.target.startswith("#") else text


def escape(text: str) -> str:
    """Return a text in which characters with a meaning in Markdown tables are escaped."""
    for character in ("\\", "|", "*", "_", "<", "`", "["):
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ")
