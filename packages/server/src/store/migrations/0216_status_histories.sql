-- The history of a status page as a worker computed it last, so that visitors wait for no computation. Unlogged: after a crash it is computed
-- again.
create unlogged table status_histories (
  org_id bigint primary key references organisations(org_id),
  -- days and shares of the checks and heartbeats that the page shows, without their names
  history json not null,
  computed_at timestamptz not null,
  -- how long that took: what takes long is computed less often
  took_ms integer not null,
  -- when a visitor last asked for the page
  asked_at timestamptz not null,
  -- until then, the process that computes it is not disturbed by others
  claimed_until timestamptz not null default '-infinity'
);
