-- Senders go from channel to channel, and take of each what is due first. Without this they would read all that one of them has waiting.
create index concurrently if not exists deliveries_turns on deliveries (org_id, channel_id, next_attempt_at, delivery_id)
  where state = 'pending';
