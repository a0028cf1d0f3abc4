-- The scopes of maintenance windows, each stored once for an organisation, however many spans have it.
create table maintenance_scopes (
  org_id bigint not null references organisations,
  -- the first half of the SHA-256 of the scope's text
  scope_id uuid not null,
  scope jsonb not null,
  -- the length of the scope's text
  bytes integer not null,
  -- when spans were last given this scope
  used_at timestamptz not null,
  primary key (org_id, scope_id)
);

-- The scope of a span. Null: a server of an earlier build wrote the span, and `scope` holds all of it. A span with an id has its scope in
-- `scope` as well if it is short; otherwise `scope` names nothing there. Where `scope` names something else, it counts: a server of an earlier
-- build has edited the window.
alter table maintenance_spans add column scope_id uuid;
