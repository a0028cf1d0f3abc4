-- How many runs were due during a schedule that stands for several which began on the same day. Null: one per interval.
alter table check_schedules add column due double precision;
