-- How long an org's data is kept as of now, and when it is next to be looked through for what is older. One row an org, made
-- by who looks through them.
create table retention (
  org_id bigint primary key references organisations,
  -- what is applied: null before the first time
  days integer check (days > 0),
  -- since when its plan promises less than that
  shorter_since timestamptz,
  due_at timestamptz not null
);
create index retention_due on retention (due_at);
