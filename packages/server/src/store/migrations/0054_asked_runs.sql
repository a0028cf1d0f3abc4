-- Runs that people asked a monitor for, out of turn: of a check, or of a definition that is not saved. Rows live for minutes.
create table asked_runs (
  org_id bigint not null references organisations on delete cascade,
  -- what the monitor's report names; not to be guessed
  run_id text not null,
  monitor_id text not null references monitors on delete cascade,
  -- the check that is run; null when a definition is tried
  check_id bigint,
  -- the definition that is tried, as the monitor is told of it
  definition jsonb,
  asked_by bigint not null,
  asked_at timestamptz not null,
  -- when the monitor was told
  handed_at timestamptz,
  -- what it came to
  report jsonb,
  reported_at timestamptz,
  primary key (org_id, run_id),
  check ((check_id is null) <> (definition is null))
);
create index asked_runs_of_monitor on asked_runs (monitor_id, asked_at);
create index asked_runs_by_age on asked_runs (asked_at);
