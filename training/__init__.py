"""How the network that reads pages is trained. Not part of the package."""
