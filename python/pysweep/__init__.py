"""Reads what sweep writes."""
