"""The stages of the flow, in this order: poll, fetch, refine, gather, deliver; beside them replay and summarize.

Each claims due rows, works, and commits once. The engine knows no recipe, no database and no schedule; `runtime` starts it.
"""
