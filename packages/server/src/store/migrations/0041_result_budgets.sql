-- What an organisation may still store beyond what its checks can produce by the hour. Only those have a row that came near it.
create table result_budgets (
  org_id bigint primary key references organisations on delete cascade,
  -- results, at `as_of`; what was due since then comes on top
  remaining double precision not null,
  as_of timestamptz not null
);
