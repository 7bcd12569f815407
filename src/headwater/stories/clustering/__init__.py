"""Documents that tell one story: decided from vectors, with no I/O, no clock and no chance."""

from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.cluster_items import PROFILES, ClusterProfile, cluster_items
from headwater.stories.clustering.similarity import StoryItem

__all__ = ["PROFILES", "ClusterProfile", "StoryItem", "build_stories", "cluster_items"]
