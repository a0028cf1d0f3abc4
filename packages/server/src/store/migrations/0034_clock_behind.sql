-- Since when a monitor's requests show its clock further behind than clock_offset_ms says. Null: they do not.
alter table monitors add column clock_behind_since timestamptz;
