-- Hours that are over become one row a check: docs/decisions/0007-sealed-hours.md. Nothing is sealed before an operator turns it
-- on and every server knows these tables.

-- All results of a check in an hour. store/stored/sealed-form.ts makes and reads these rows, and says what the columns hold.
-- Partitions are days in UTC, made by whoever seals.
create table sealed_hours (
  org_id bigint not null,
  check_id bigint not null,
  since timestamptz not null,
  runs integer not null,
  first_us bigint,
  step_us bigint,
  monitors text[] collate "C",
  numbers bytea,
  errors text[],
  samples text[],
  retries smallint[],
  cert_expires_at timestamptz,
  times_us bigint[],
  latencies integer[],
  certs timestamptz[],
  primary key (org_id, check_id, since)
) partition by range (since);
-- Compressed within the row: partitions are made like this table.
alter table sealed_hours
  alter column monitors set storage main,
  alter column numbers set storage main,
  alter column errors set storage main,
  alter column samples set storage main,
  alter column retries set storage main,
  alter column times_us set storage main,
  alter column latencies set storage main,
  alter column certs set storage main;

-- Results that came for hours that were closed, until they are merged into the sealed row of their hour.
create table reopened_results (like results including all);

-- How far hours are sealed. sealed_until <= settled <= closed <= announced, all of them full hours.
create table seal_progress (
  is_the_one boolean primary key default true check (is_the_one),
  -- whether hours are being sealed
  is_on boolean not null default false,
  -- a batch with results from before this marks their hours before it stores anything
  announced timestamptz not null default '-infinity',
  -- results from before this are stored in reopened_results
  closed timestamptz not null default '-infinity',
  -- `closed` as it was when the last transaction ended that may not have seen it: nothing from before it comes into `results`
  settled timestamptz not null default '-infinity',
  -- what ran before this is read from sealed_hours and reopened_results, and what ran later from `results`
  sealed_until timestamptz not null default '-infinity',
  -- the transactions that may not have seen the last change of `announced` or `closed`; null before anybody looked which ones those are
  waits_for text[]
) with (fillfactor = 50);
insert into seal_progress default values;

-- Where results are distributed over several nodes, these tables lie with them.
do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is null then
    return;
  end if;
  if exists (select from pg_dist_partition where logicalrelid = 'results'::regclass and partmethod = 'h') then
    perform create_distributed_table('sealed_hours', 'org_id', colocate_with => 'results');
    perform create_distributed_table('reopened_results', 'org_id', colocate_with => 'results');
  end if;
end
$$;
