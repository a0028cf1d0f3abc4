-- Heartbeats at work: when each would be overdue, and what its job said lately.

-- Null when it cannot become overdue: new, down or paused. An outage of our own moves it when the sweep meets it.
alter table heartbeats add column due_at timestamptz;
update heartbeats set due_at = last_heartbeat_at + (interval_sec + grace_sec) * interval '1 second'
  where state = 'up' and enabled and platform_enabled;
alter table heartbeats add constraint only_one_that_is_up_is_due
  check (due_at is null or (state = 'up' and last_heartbeat_at is not null and enabled and platform_enabled));
-- Each beat writes its row.
alter table heartbeats set (fillfactor = 70);
-- The sweep: what is due by now, the longest overdue first
create index heartbeats_due on heartbeats (due_at) where due_at is not null;

-- The newest calls of each heartbeat.
create table pings (
  org_id bigint not null,
  heartbeat_id bigint not null,
  -- the how-manieth
  n bigint not null,
  created_at timestamptz not null,
  kind text not null check (kind in ('beat', 'start', 'fail', 'log', 'exit_code')),
  exit_code smallint check (exit_code between 1 and 255),
  -- names the run, where runs overlap
  rid text collate "C",
  -- from the start of the run to this, its end
  duration_ms bigint check (duration_ms >= 0),
  -- the end of what was sent along
  body text,
  primary key (org_id, heartbeat_id, n),
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_exit_code check ((kind = 'exit_code') = (exit_code is not null))
);
