"""File formats of networks and structures, one module for each; `bnsearch.networks.files` selects one."""
