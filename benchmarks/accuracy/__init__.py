"""Accuracy of the estimators against published figures."""
