alter table checks
  -- How often a monitor repeats a run that failed before the failure counts, and how many seconds after it. 0: not at all, after 5 s.
  add column retry_count integer not null default 0,
  add column retry_interval_sec integer not null default 0,
  -- A check is degraded while this many results in a row (0: one) took longer than so many milliseconds. 0: no threshold.
  add column degraded_over_ms integer not null default 0,
  add column degraded_after integer not null default 0,
  -- A check is degraded while its certificate has fewer days left than this. 0: never.
  add column cert_warn_days integer not null default 0;

-- The statement that stores results reads these from the assignment, as it does the limit of characters.
alter table assignments
  add column degraded_over_ms integer not null default 0,
  add column cert_warn_days integer not null default 0;

create function copy_degraded_rules() returns trigger language plpgsql as $$
begin
  update assignments set degraded_over_ms = new.degraded_over_ms, cert_warn_days = new.cert_warn_days
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $$;
create trigger checks_copy_degraded_rules after update on checks for each row
  when (old.degraded_over_ms <> new.degraded_over_ms or old.cert_warn_days <> new.cert_warn_days) execute function copy_degraded_rules();

-- Old servers assign checks without the columns.
create function take_degraded_rules() returns trigger language plpgsql as $$
begin
  select c.degraded_over_ms, c.cert_warn_days into new.degraded_over_ms, new.cert_warn_days
  from checks c where c.org_id = new.org_id and c.check_id = new.check_id;
  return new;
end $$;
create trigger assignments_take_degraded_rules before insert on assignments for each row execute function take_degraded_rules();

-- The times in which a check was degraded: up, but slow, or with a certificate that ends soon. Nothing of it counts as down.
create table degradations (
  org_id bigint not null references organisations,
  -- Events about it name it as their incident.
  degradation_id text collate "C" not null,
  check_id bigint not null,
  kind text not null check (kind in ('slow', 'certificate')),
  began_at timestamptz not null,
  ended_at timestamptz,
  -- What people are told: how slow, or how many days are left.
  reason text not null,
  end_reason text,
  -- Of a certificate: when it ends, and with how many days left people want to know. They are told once of each pair.
  cert_expires_at timestamptz,
  warn_days integer,
  primary key (org_id, degradation_id),
  check ((kind = 'certificate') = (cert_expires_at is not null and warn_days is not null))
);
create unique index degradations_open on degradations (org_id, check_id, kind) where ended_at is null;
create index degradations_of_check on degradations (org_id, check_id, kind, began_at);
