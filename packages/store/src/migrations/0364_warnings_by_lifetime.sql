-- Warnings about certificates by the share of their lifetime that is left.

-- Lifetime of the certificate that the monitor saw last, in days. Null: not reported, because the check has no `cert_warn_percent`.
alter table assignments add column cert_lifetime_days integer;

-- warn_days_of returns the number of days before its expiry from which a certificate is warned about.
create function warn_days_of(days integer, percent integer, lifetime_days integer) returns integer
language sql immutable parallel safe as $$
  select greatest(days, coalesce(ceil(percent * lifetime_days / 100.0)::integer, 0))
$$;

-- copy_degraded_rules keeps the copies in assignments equal to the check.
create or replace function copy_degraded_rules() returns trigger language plpgsql as $$
begin
  update assignments set degraded_over_ms = new.degraded_over_ms,
    cert_warn_days = warn_days_of(new.cert_warn_days, new.cert_warn_percent, cert_lifetime_days)
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $$;
create trigger checks_copy_warn_percent after update on checks for each row
  when (old.cert_warn_percent <> new.cert_warn_percent) execute function copy_degraded_rules();

-- take_degraded_rules gives an assignment its copies.
create or replace function take_degraded_rules() returns trigger language plpgsql as $$
begin
  select c.degraded_over_ms, warn_days_of(c.cert_warn_days, c.cert_warn_percent, new.cert_lifetime_days)
  into new.degraded_over_ms, new.cert_warn_days
  from checks c where c.org_id = new.org_id and c.check_id = new.check_id;
  return new;
end $$;
create trigger assignments_take_lifetime before update of cert_lifetime_days on assignments for each row
  execute function take_degraded_rules();
