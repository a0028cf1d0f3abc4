-- No monitor's clock rules a verdict, and none reaches back across a break.

-- Results whose order in time is not that of their ran_at, since the clock of their monitor was off. Honest results have no row.
create table shifted_results (
  org_id bigint not null,
  check_id bigint not null,
  ran_at timestamptz not null,
  monitor_id text collate "C" not null,
  -- when the run began by the server's clock, as far as that can be known
  effective_at timestamptz not null,
  primary key (org_id, check_id, ran_at, monitor_id)
);
create index shifted_results_order on shifted_results (org_id, check_id, effective_at, monitor_id);

alter table check_states
  -- results that ran before count no more: the check was enabled, edited or given back to a monitor then
  add column judged_from timestamptz,
  -- judging is put off since then, because a monitor is catching up
  add column late_since timestamptz,
  -- the oldest of the results that wait for that
  add column late_from timestamptz;

alter table monitors
  -- how far its clock is ahead of ours; negative: behind; null: it never told
  add column clock_offset_ms integer,
  -- it uploads what it found while it was away
  add column catching_up boolean not null default false;
