-- Messages by derived id (`h` and 24 hex digits), so that a request without a name finds its conversation in one probe.
CREATE INDEX messages_by_node ON messages (message_id) WHERE length(message_id) = 25;
