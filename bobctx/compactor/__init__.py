"""Background compaction: due work, one region at a time, a stateless worker process."""
