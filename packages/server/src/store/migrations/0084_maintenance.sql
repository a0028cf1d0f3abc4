-- Maintenance windows as people planned them: alerts about what they cover wait until they end.
create table maintenance_windows (
  org_id bigint not null references organisations,
  window_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  -- {"all": true}, {"tags": [..]} or {"checks": [guid], "heartbeats": [guid]}
  scope jsonb not null,
  -- when it begins, or begins first: YYYY-MM-DDTHH:MM by the clock of the zone
  starts_at text not null,
  duration_sec integer not null,
  zone text not null,
  -- a recurrence rule of RFC 5545; null: once
  rule text,
  -- whether status pages show it
  is_public boolean not null,
  -- spans that begin before this are in maintenance_spans
  spread_until timestamptz not null,
  created_at timestamptz not null,
  primary key (org_id, window_id),
  unique (org_id, guid)
);

-- When each of them is on. What is over stays as it was, also when its window is edited or deleted.
create table maintenance_spans (
  org_id bigint not null references organisations,
  window_id bigint not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  -- as the window has them, or had them when it ended
  name text not null,
  scope jsonb not null,
  is_public boolean not null,
  primary key (org_id, window_id, begins_at)
);
create index maintenance_spans_ends on maintenance_spans (org_id, ends_at);
