-- How far a clock is off that is further off than clock_offset_ms can say: 24.8 days. It counts while that one is at the end of its range.
alter table monitors add column clock_far_ms bigint;
