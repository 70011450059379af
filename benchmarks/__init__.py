"""Measurements of accuracy and speed."""
