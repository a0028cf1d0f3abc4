-- Sealed hours: hours that are over become one row for each check (docs/decisions/0007-sealed-hours.md).

-- All results of a check in an hour. store/stored/sealed-form.ts writes and reads these rows, and describes the columns.
-- The partitions are days in UTC; sealing makes them.
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
-- Values are compressed within the row. The partitions inherit this.
alter table sealed_hours
  alter column monitors set storage main,
  alter column numbers set storage main,
  alter column errors set storage main,
  alter column samples set storage main,
  alter column retries set storage main,
  alter column times_us set storage main,
  alter column latencies set storage main,
  alter column certs set storage main;

-- Results that arrive for closed hours, until they are merged into the sealed row.
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
  -- `closed` as it was when the last transaction ended that may not have seen it: `results` gets nothing from before it
  settled timestamptz not null default '-infinity',
  -- earlier results are read from sealed_hours and reopened_results, later ones from `results`
  sealed_until timestamptz not null default '-infinity',
  -- the transactions that may not have seen the last change of `announced` or `closed`. Null: not looked up yet.
  waits_for text[],
  -- how far the span is that is being sealed: its end, and the last check that is done. Null: no span is being sealed.
  sealing_until timestamptz,
  sealing_org_id bigint,
  sealing_check_id bigint,
  -- nothing is closed before every process has noticed that sealing is on
  turned_on_at timestamptz,
  -- whether `dogwatch results unseal` has forbidden sealing
  is_barred boolean not null default false,
  -- On several nodes, statements carry how far hours are sealed. All processes have noticed what is before
  -- noticed_until; only there late results are merged and partitions dropped. noticing_until comes next, and all may
  -- know it since noticing_since.
  noticed_until timestamptz not null default '-infinity',
  noticing_until timestamptz not null default '-infinity',
  noticing_since timestamptz
) with (fillfactor = 50);
insert into seal_progress default values;

-- stored_results shows all results, wherever they are, to people with psql. The server does not use it, because bounds of
-- ran_at do not reach the index of sealed_hours. Select one organisation and check. store/stored/sealed-form.ts makes the
-- part about sealed hours.
create view stored_results as
select org_id, check_id, ran_at, monitor_id, success, latency_ms, http_status, error, response_sample, dns_ms,
  connect_ms, tls_ms, first_byte_ms, transfer_ms, retries, cert_expires_at
from (
  select r.org_id, r.check_id, r.ran_at, r.monitor_id, r.success, r.latency_ms, r.http_status, r.error,
    r.response_sample, r.dns_ms, r.connect_ms, r.tls_ms, r.first_byte_ms, r.transfer_ms, r.retries,
    r.cert_expires_at
  from results r where r.ran_at >= (select sealed_until from seal_progress)
  union all
  select r.org_id, r.check_id, r.ran_at, r.monitor_id, r.success, r.latency_ms, r.http_status, r.error,
    r.response_sample, r.dns_ms, r.connect_ms, r.tls_ms, r.first_byte_ms, r.transfer_ms, r.retries,
    r.cert_expires_at
  from reopened_results r
  union all
  select u.org_id, u.check_id, u.ran_at, u.monitor_id, u.success, u.latency_ms, u.http_status, u.error,
    u.response_sample, u.dns_ms, u.connect_ms, u.tls_ms, u.first_byte_ms, u.transfer_ms, u.retries,
    u.cert_expires_at
  from (
    select s.since,
      s.org_id as org_id,
      s.check_id as check_id,
      s.since + coalesce(u.at_us, s.first_us + s.step_us * u.i + (((get_byte(d.numbers, u.i + 15 * s.runs) | (get_byte(d.numbers, u.i + 16 * s.runs) << 8)) # 32768) - 32768) * 1000) * interval '1 microsecond' as ran_at,
      d.monitors[(get_byte(d.numbers, u.i + 17 * s.runs) | (get_byte(d.numbers, u.i + 18 * s.runs) << 8))] as monitor_id,
      get_byte(d.numbers, u.i + 0 * s.runs) & 1 = 1 as success,
      coalesce(u.latency_ms, (get_byte(d.numbers, u.i + 3 * s.runs) | (get_byte(d.numbers, u.i + 4 * s.runs) << 8))) as latency_ms,
      (get_byte(d.numbers, u.i + 1 * s.runs) | (get_byte(d.numbers, u.i + 2 * s.runs) << 8)) as http_status,
      u.error as error,
      u.response_sample as response_sample,
      case when get_byte(d.numbers, u.i + 0 * s.runs) & 2 = 0 then (((get_byte(d.numbers, u.i + 5 * s.runs) | (get_byte(d.numbers, u.i + 6 * s.runs) << 8)) # 32768) - 32768)::smallint end as dns_ms,
      case when get_byte(d.numbers, u.i + 0 * s.runs) & 4 = 0 then (((get_byte(d.numbers, u.i + 7 * s.runs) | (get_byte(d.numbers, u.i + 8 * s.runs) << 8)) # 32768) - 32768)::smallint end as connect_ms,
      case when get_byte(d.numbers, u.i + 0 * s.runs) & 8 = 0 then (((get_byte(d.numbers, u.i + 9 * s.runs) | (get_byte(d.numbers, u.i + 10 * s.runs) << 8)) # 32768) - 32768)::smallint end as tls_ms,
      case when get_byte(d.numbers, u.i + 0 * s.runs) & 16 = 0 then (((get_byte(d.numbers, u.i + 11 * s.runs) | (get_byte(d.numbers, u.i + 12 * s.runs) << 8)) # 32768) - 32768)::smallint end as first_byte_ms,
      case when get_byte(d.numbers, u.i + 0 * s.runs) & 32 = 0 then (((get_byte(d.numbers, u.i + 13 * s.runs) | (get_byte(d.numbers, u.i + 14 * s.runs) << 8)) # 32768) - 32768)::smallint end as transfer_ms,
      u.retries as retries,
      coalesce(s.cert_expires_at, u.cert_expires_at) as cert_expires_at
    from (
      select h.* from sealed_hours h where h.since < (select sealed_until from seal_progress)
    ) s
    cross join lateral (
      select s.numbers || ''::bytea as numbers,
      s.monitors || '{}'::text[] as monitors offset 0) d
    cross join lateral rows from (
      generate_series(0, s.runs - 1), unnest(s.times_us), unnest(s.latencies), unnest(s.errors), unnest(s.samples), unnest(s.retries), unnest(s.certs)
    ) as u(i, at_us, latency_ms, error, response_sample, retries, cert_expires_at)
  ) u
) stored
order by org_id, check_id, ran_at, monitor_id;
