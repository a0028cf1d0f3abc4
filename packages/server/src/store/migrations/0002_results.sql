-- Results: one row for each run of a check. The key begins with the tenant and ends the paging order of a check.
create table results (
  org_id bigint not null,
  check_id bigint not null,
  ran_at timestamptz not null,
  latency_ms integer not null,
  http_status integer not null,
  success boolean not null,
  monitor_id text collate "C" not null,
  error text,
  response_sample text,
  primary key (org_id, check_id, ran_at, monitor_id)
) partition by range (ran_at);

-- Months are attached ahead of time; whatever lies outside them (an old import, a clock gone wild) lands here.
create table results_default partition of results default;
