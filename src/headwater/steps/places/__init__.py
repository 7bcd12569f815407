from headwater.steps.places.tagging import TagPlaces

__all__ = ["TagPlaces"]
