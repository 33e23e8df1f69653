"""What turns a region into raw claims: the local extractor, scripted replies, models."""
