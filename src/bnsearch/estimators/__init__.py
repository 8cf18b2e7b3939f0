"""Estimators with the interface of scikit-learn."""

from bnsearch.errors import InputError

try:
    from bnsearch.estimators.classifier import NetworkClassifier
    from bnsearch.estimators.structure_learner import StructureLearner
except ImportError as error:
    raise InputError(f"this needs scikit-learn ({error}): pip install 'bnsearch[sklearn]'") from None

__all__ = ["NetworkClassifier", "StructureLearner"]
