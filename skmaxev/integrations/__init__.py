"""Other tools that keep what a search found."""

from skmaxev.integrations.mlflow import log_search

__all__ = ["log_search"]
