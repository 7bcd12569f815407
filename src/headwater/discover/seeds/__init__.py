from headwater.discover.seeds.look import discover_seeds

__all__ = ["discover_seeds"]
