"""Writes scenes as USD: links as rigid bodies with joints, drives and masses, and what they look like."""
