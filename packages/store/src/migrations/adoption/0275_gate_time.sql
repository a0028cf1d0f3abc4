-- Deletions by age follow a time that moves only as fast as time was observed to pass.

alter table retention_calendar
  -- null: the time of the clock
  add column safe_at timestamptz,
  -- for how long the clock has been observed, without a jump, to be ahead of that
  add column steady_sec integer not null default 0;
