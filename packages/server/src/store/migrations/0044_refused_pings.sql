-- The newest ping of a heartbeat that we refused for reasons of our own, though it says that its job is well. No foreign key: the
-- heartbeat's row may be held by what made us refuse the ping.
create table refused_pings (
  org_id bigint not null,
  heartbeat_id bigint not null,
  -- when it came
  refused_at timestamptz not null,
  primary key (org_id, heartbeat_id)
);
