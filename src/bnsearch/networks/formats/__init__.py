"""The file formats of networks and structures: one format, one file; `bnsearch.networks.files` picks one."""
