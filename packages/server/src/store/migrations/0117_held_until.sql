-- When the hold ends for which an alert waits. It is decided again sooner, because holds change. Null: the alert waits for no hold, nobody
-- knows, or a server of the build before wrote it.
alter table planned_alerts add column held_until timestamptz;
