"""Raw captures: WARC packs in a folder or a bucket, written once and named by their hash."""
