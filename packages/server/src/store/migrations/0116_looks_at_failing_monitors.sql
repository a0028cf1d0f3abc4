-- How often a monitor was looked at that runs more checks than are read at once: each look reads the next part of them.
alter table failing_monitors add column looks integer not null default 0;
