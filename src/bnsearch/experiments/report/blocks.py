"""Parts of a report, which HTML and Markdown show in their own ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """
    An entry of a table.

    Attributes
    ----------
    text : its text
    is_best : whether it is the best value of its row
    is_tied : whether several values of its row are the best
    note : text below the value, such as a published value
    tooltip : text that appears at the pointer
    target : address of a link; empty for none
    """

    text: str
    is_best: bool = False
    is_tied: bool = False
    note: str = ""
    tooltip: str = ""
    target: str = ""


@dataclass(frozen=True)
class Table:
    """
    A table.

    Attributes
    ----------
    headings : of the columns
    rows : entries, or plain texts
    anchors : name of each row for links; empty for none
    is_numeric : whether all columns except for the first are right-aligned
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Entry | str]]
    anchors: Sequence[str] = ()
    is_numeric: bool = True


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG, with a caption; Markdown shows the caption only if it has a meaning of its own."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Details:
    """
    Blocks that are hidden until the reader opens them.

    Attributes
    ----------
    summary : text that is always visible
    blocks : what is hidden
    is_long : whether Markdown leaves the blocks out
    """

    summary: str
    blocks: Sequence[Block]
    is_long: bool = False


Block = Heading | Paragraph | Items | Table | Figure | Details
