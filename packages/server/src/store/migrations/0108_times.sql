-- How a person reads times. Null: as their browser says.
alter table people add column time_zone text;
-- 12 or 24
alter table people add column hour_clock smallint;
