"""Pictures of graphs: a layered layout, drawn as SVG or with matplotlib."""
