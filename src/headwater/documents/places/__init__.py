from headwater.documents.places.tag_places import TagPlaces

__all__ = ["TagPlaces"]
