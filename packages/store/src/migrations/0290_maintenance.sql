-- Maintenance windows: alerts about what they cover wait until they end.

-- Windows, as people planned them.
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
  -- a recurrence rule of RFC 5545. Null: once.
  rule text,
  -- whether status pages show it
  is_public boolean not null,
  -- maintenance_spans has the spans that begin before this
  spread_until timestamptz not null,
  created_at timestamptz not null,
  -- the name that a client of the configuration API chose
  key text collate "C",
  -- the first span after spread_until, so that showing it expands no rule. Null: none.
  next_at timestamptz,
  -- the spread_until for which next_at was found. If they differ, next_at means nothing.
  next_from timestamptz,
  primary key (org_id, window_id),
  unique (org_id, guid)
);
-- A key is unique in its organisation.
create unique index maintenance_windows_key on maintenance_windows (org_id, key) where key is not null;

-- Spans of windows. Past spans stay as they were, also when their window is edited or deleted.
create table maintenance_spans (
  org_id bigint not null references organisations,
  window_id bigint not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  -- as the window has them, or had them when it ended
  name text not null,
  scope jsonb not null,
  is_public boolean not null,
  -- the scope in maintenance_scopes. A short scope is also in `scope`; in place of a long one, `scope` names nothing.
  scope_id uuid,
  primary key (org_id, window_id, begins_at)
);
-- Deciding about an alert reads the spans that are not over.
create index maintenance_spans_ends on maintenance_spans (org_id, ends_at);
-- A chore deletes what has long been over, in all organisations.
create index maintenance_spans_over on maintenance_spans (ends_at);

-- Scopes of spans, each stored once for an organisation, however many spans have it.
create table maintenance_scopes (
  org_id bigint not null references organisations,
  -- the first half of the SHA-256 of the scope's text
  scope_id uuid not null,
  scope jsonb not null,
  -- the length of the scope's text
  bytes integer not null,
  -- when a span last got this scope
  used_at timestamptz not null,
  primary key (org_id, scope_id)
);
