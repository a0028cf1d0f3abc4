-- A mute that lasts until this incident has ended. Its `muted_until` is the time at which it was made, so that servers of an earlier
-- build take it for over, and tell.
alter table mutes add column incident_id text collate "C";
