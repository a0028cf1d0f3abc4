-- clock_offset_ms has the offset of any clock. clock_far_ms is the last offset with which the clock could not date results.
-- safe: one row for each monitor, which takes a moment; the previous version reads and writes both types
alter table monitors alter column clock_offset_ms type bigint
  using case when abs(clock_offset_ms) = 2147483647 then coalesce(clock_far_ms, clock_offset_ms) else clock_offset_ms end;
