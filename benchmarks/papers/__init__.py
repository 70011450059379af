"""The experiments of the sources, repeated beside their published figures.

python -m benchmarks.papers            # all, below 15 minutes on two cores
python -m benchmarks.papers --quick    # all but rougher, in some seconds
"""
