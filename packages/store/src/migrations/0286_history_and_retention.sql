-- History: results summed up by hour and by day, the schedules of checks, and how long data is kept.

-- Sums of an hour, so that a year of a check is one small read. An hour is folded when it is over, so storing results
-- does not pay for it. There is no foreign key, because rollups may be on another node than checks.
create table rollups (
  org_id bigint not null,
  check_id bigint not null,
  hour timestamptz not null,
  runs integer not null,
  failures integer not null,
  -- of the successes
  latency_sum_ms bigint not null,
  latency_max_ms integer not null,
  -- the percentiles of the successes (store/results/sketch.ts). Null: there are none, or no sketch was made.
  latency_sketch bytea,
  primary key (org_id, check_id, hour)
);

-- Sums of a day (UTC).
create table rollups_daily (
  org_id bigint not null,
  check_id bigint not null,
  day timestamptz not null,
  runs integer not null,
  failures integer not null,
  latency_sum_ms bigint not null,
  latency_max_ms integer not null,
  latency_sketch bytea,
  primary key (org_id, check_id, day)
);

-- Hours that got a result after they were folded. Until they are folded again, readers count their results.
create table rollup_marks (
  org_id bigint not null,
  check_id bigint not null,
  hour timestamptz not null,
  changes integer not null default 1,
  primary key (org_id, check_id, hour)
);

-- How far results are folded: all hours and days before these, except the marked hours.
create table rollup_progress (
  is_the_one boolean primary key default true check (is_the_one),
  hours_until timestamptz not null,
  days_until timestamptz not null,
  -- equal to hours_until; the other four are not used
  sketched_until timestamptz,
  sketch_org_id bigint,
  sketch_check_id bigint,
  sketch_before timestamptz,
  sketch_left_out bigint,
  -- how far the next hour is folded, some checks at a time. It counts only while folding_hour is hours_until.
  folding_hour timestamptz,
  folding_org_id bigint,
  folding_check_id bigint
);

-- Organisations that are folded less far, because their node did not respond. A row is deleted when it has caught up.
create table rollups_behind (
  org_id bigint primary key references organisations,
  hours_until timestamptz not null,
  days_until timestamptz not null
);

-- Schedules say how often a check was to run, and since when. The open row of a check (until is null) is the current
-- one. A paused check has none.
create table check_schedules (
  org_id bigint not null,
  check_id bigint not null,
  since timestamptz not null,
  until timestamptz,
  interval_sec integer not null,
  -- a number made of the monitors that run the check, and since when it is these: their runs are due from then on
  run_by bigint not null,
  watched_since timestamptz not null,
  -- runs that were due, if the row stands for several schedules which began on the same day. Null: one for each interval.
  due double precision,
  primary key (org_id, check_id, since),
  foreign key (org_id, check_id) references checks (org_id, check_id)
) with (fillfactor = 80);
-- A check has at most one open schedule.
create unique index check_schedules_open on check_schedules (org_id, check_id) where until is null;

-- Retention of each organisation: what was applied last, and when it is due again.
create table retention (
  org_id bigint primary key references organisations,
  -- null: not applied yet
  days integer check (days > 0),
  -- since when the plan promises less than that
  shorter_since timestamptz,
  due_at timestamptz not null,
  -- the edge that was applied last: older data is deleted
  edge timestamptz,
  -- an operator confirmed deletions until then, however far the edge moves
  confirmed_until timestamptz,
  -- since when deletions wait for an operator because nobody expected them, and the share of runs that they concern
  held_since timestamptz,
  held_share double precision
);
-- A chore takes the organisations that are due.
create index retention_due on retention (due_at);

-- The calendar of deletions advances day by day, so that a clock that jumps deletes nothing.
create table retention_calendar (
  is_the_one boolean primary key default true check (is_the_one),
  -- the last day (UTC) that deletions went by, and for how long another day has been observed since
  day date not null,
  observed_sec integer not null default 0,
  seen_at timestamptz not null,
  -- a time that advances only as fast as time is observed to pass. Null: the clock's time.
  safe_at timestamptz,
  -- for how long the clock has been observed, without a jump, to be ahead of that
  steady_sec integer not null default 0
);
