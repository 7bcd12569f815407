"""Recipes of an installation: those of installed packages, of single files and of the settings, each with its settings."""
