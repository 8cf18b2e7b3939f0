"""Layered drawings of graphs, as SVG or with matplotlib."""
