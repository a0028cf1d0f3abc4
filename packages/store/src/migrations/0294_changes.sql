-- Changes: which organisations' pages are out of date. Open pages learn of a change by NOTIFY, or by looking here.

-- Changes of the last hour, one row for each organisation and transaction.
create table changes (
  org_id bigint not null,
  -- the transaction's
  change_id bigint not null,
  changed_at timestamptz not null,
  primary key (org_id, change_id)
);
-- Processes read the newest, and a chore deletes the oldest.
create index changes_newest on changes (changed_at);

-- note_change records a change once for each organisation and transaction, because many rows may change together.
-- Transactions that notify commit one after the other, so deliveries, which may be very many, only leave the row.
create function note_change() returns trigger language plpgsql as $$
declare
  org bigint := case when tg_op = 'DELETE' then old.org_id else new.org_id end;
  noted text := coalesce(nullif(current_setting('dogwatch.changed', true), ''), ',');
  change bigint := pg_current_xact_id()::text::bigint;
  noted_at timestamptz := database_time();
begin
  -- The shared fleet belongs to no organisation.
  if org is null or position(format(',%s,', org) in noted) > 0 then
    return null;
  end if;
  insert into changes (org_id, change_id, changed_at) values (org, change, noted_at) on conflict do nothing;
  if tg_table_name <> 'deliveries' then
    perform set_config('dogwatch.changed', right(noted || org || ',', 2000), true);
    perform pg_notify('dogwatch_changes', format('%s %s', org, change));
  end if;
  return null;
end $$;

-- The triggers fire only for what people see as a change of state, so that results and pings cost nothing.
create trigger check_states_changed after update on check_states for each row
  when (old.unmonitored_since is distinct from new.unmonitored_since
    or old.flapping_since is distinct from new.flapping_since)
  execute function note_change();
create trigger heartbeats_changed after update on heartbeats for each row
  when (old.state is distinct from new.state) execute function note_change();
create trigger incidents_begun after insert or delete on incidents for each row execute function note_change();
create trigger incidents_changed after update on incidents for each row
  when (old is distinct from new) execute function note_change();
create trigger degradations_begun after insert or delete on degradations for each row execute function note_change();
create trigger degradations_changed after update on degradations for each row
  when (old is distinct from new) execute function note_change();
create trigger monitors_changed after update on monitors for each row
  when (old.offline_since is distinct from new.offline_since) execute function note_change();
create trigger monitors_begun after insert or delete on monitors for each row execute function note_change();
create trigger deliveries_begun after insert on deliveries for each row execute function note_change();
create trigger deliveries_changed after update on deliveries for each row
  when (old.state is distinct from new.state or old.attempts is distinct from new.attempts)
  execute function note_change();
-- What people change is written to the audit log.
create trigger audit_entries_begun after insert on audit_entries for each row execute function note_change();
create trigger audit_entries_repeated after update on audit_entries for each row
  when (old.times is distinct from new.times) execute function note_change();
-- Open pages of a suspended organisation show that, and learn nothing more.
create trigger organisations_changed after update on organisations for each row
  when (old.suspended_at is distinct from new.suspended_at or old.name is distinct from new.name)
  execute function note_change();
