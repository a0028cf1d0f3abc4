-- Results summed up by hour and by day, so that a year of one check is one small read. Ingest does not pay for it: an hour
-- is folded when it is over, and what comes later leaves a mark.

create table rollups (
  org_id bigint not null,
  check_id bigint not null,
  hour timestamptz not null,
  runs integer not null,
  failures integer not null,
  -- of the successes
  latency_sum_ms bigint not null,
  latency_max_ms integer not null,
  primary key (org_id, check_id, hour),
  foreign key (org_id, check_id) references checks
);

create table rollups_daily (
  org_id bigint not null,
  check_id bigint not null,
  day timestamptz not null,
  runs integer not null,
  failures integer not null,
  latency_sum_ms bigint not null,
  latency_max_ms integer not null,
  primary key (org_id, check_id, day),
  foreign key (org_id, check_id) references checks
);

-- Hours that got a result long after they were over. Until they are folded again, readers count their results.
create table rollup_marks (
  org_id bigint not null,
  check_id bigint not null,
  hour timestamptz not null,
  changes integer not null default 1,
  primary key (org_id, check_id, hour)
);

-- How far things are folded: every hour and day before these, but for the marked ones.
create table rollup_progress (
  is_the_one boolean primary key default true check (is_the_one),
  hours_until timestamptz not null,
  days_until timestamptz not null
);
