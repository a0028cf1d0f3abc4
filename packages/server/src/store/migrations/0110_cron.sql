-- A heartbeat may follow a cron expression in a time zone instead of a period. Its interval is then the longest time between two of
-- its times, so that whoever knows only the interval expects nothing too early.
alter table heartbeats add column cron text;
alter table heartbeats add column cron_zone text;
