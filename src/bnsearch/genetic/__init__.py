"""Genetic and swarm algorithms over populations of networks: MIIGA, CGA, DGA and BNC-PSO, one file each."""
