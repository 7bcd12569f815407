"""Queries for people and programs. They never write."""
