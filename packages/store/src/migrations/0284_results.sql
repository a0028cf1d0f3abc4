-- Results as monitors upload them, and what is known about their order and their arrival.

-- Results, one row for each run. The key begins with the tenant and is the order in which pages of a check are read.
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
  -- phases of the run; null: not reported, or the run did not get there. Values from 32768 on are stored less 65536, so
  -- read them as `dns_ms::integer & 65535`.
  dns_ms smallint,
  connect_ms smallint,
  tls_ms smallint,
  first_byte_ms smallint,
  transfer_ms smallint,
  -- how many failed runs the monitor repeated before this one. Null: none.
  retries smallint,
  cert_expires_at timestamptz,
  primary key (org_id, check_id, ran_at, monitor_id)
) partition by range (ran_at);

-- Partitions are attached ahead of time. Results outside of them, such as those of an import or of a wild clock, are
-- stored here.
create table results_default partition of results default;

-- Results whose order differs from that of ran_at, because the clock of their monitor was wrong.
create table shifted_results (
  org_id bigint not null,
  check_id bigint not null,
  ran_at timestamptz not null,
  monitor_id text collate "C" not null,
  -- when the run began by the server's clock, as well as that can be known
  effective_at timestamptz not null,
  primary key (org_id, check_id, ran_at, monitor_id)
);
-- Judging a check reads its results in their effective order.
create index shifted_results_order on shifted_results (org_id, check_id, effective_at, monitor_id);

-- The horizon of arrivals: readers of arrivals go through the results of a check up to an instant before which nothing
-- arrives except what late_results notes. Neither results nor their indexes pay for that.
create table arrival_horizon (
  is_the_one boolean primary key default true check (is_the_one),
  -- a transaction that stores results from before this notes them as late
  announced timestamptz not null,
  -- readers read what ran before this: `announced` as it was when the last transaction ended that may not have seen it
  settled timestamptz not null,
  -- the transactions that may not have seen `announced`, while they last. Null: not looked up yet.
  waits_for text[]
) with (fillfactor = 50);
insert into arrival_horizon (announced, settled) values ('-infinity', '-infinity');

-- Late results were stored after readers were told that their time is complete.
create table late_results (
  org_id bigint not null,
  check_id bigint not null,
  -- counted for each check, in the order of commits; check_states.late_n is the last number
  n bigint not null,
  ran_at timestamptz not null,
  monitor_id text collate "C" not null,
  primary key (org_id, check_id, n)
);

-- Batches that are stored but not judged, because another transaction held their checks for too long. A row is one check
-- of one batch. Storing only inserts here, so nobody waits; a chore locks the checks and takes the rows.
create table unjudged_batches (
  org_id bigint not null,
  check_id bigint not null,
  n bigint generated always as identity,
  monitor_id text collate "C" not null,
  -- not before this, because a node may still be storing the batch
  due_at timestamptz not null,
  -- when the first result ran by the server's clock. Null: the check need not be judged by these results.
  oldest_at timestamptz,
  -- the monitor uploads results from its time offline
  is_catching_up boolean not null,
  -- run times of those results that readers of arrivals still have to learn of as late
  late timestamptz[] not null,
  primary key (org_id, check_id, n)
);

-- Budgets of organisations that store more than their checks can produce. Others have no row.
create table result_budgets (
  org_id bigint primary key references organisations on delete cascade,
  -- results left at `as_of`; what is due since then comes on top
  remaining double precision not null,
  as_of timestamptz not null
);
