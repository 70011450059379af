"""Plan, run and store the fits of a search. Knows no statistics."""
