-- Deletions follow the calendar day by day, and never a clock that jumps.

-- The last day (UTC) that deletions went by, and for how long another day has been observed since. One row.
create table retention_calendar (
  is_the_one boolean primary key default true check (is_the_one),
  day date not null,
  observed_sec integer not null default 0,
  seen_at timestamptz not null
);

alter table retention
  -- what is older is deleted: the last edge that was applied
  add column edge timestamptz,
  -- an operator let it go on until then, however far the edge moves
  add column confirmed_until timestamptz;
