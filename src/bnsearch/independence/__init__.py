"""Tests of independence, and the methods that use them."""

from __future__ import annotations

from bnsearch.independence.bnpc import BNPC
from bnsearch.independence.decisions import Decision, GTest, InformationTest
from bnsearch.independence.ik2vmb import IK2vMB
from bnsearch.independence.mmhc import MMHC
from bnsearch.independence.neighbourhoods import markov_blankets
from bnsearch.independence.tester import PairTester

__all__ = ["BNPC", "MMHC", "Decision", "GTest", "IK2vMB", "InformationTest", "PairTester", "markov_blankets"]
