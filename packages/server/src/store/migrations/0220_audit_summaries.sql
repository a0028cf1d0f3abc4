-- Repeated deeds, beyond what an actor or organisation may write in full in a day, are one entry for each hour, actor and action. Both columns
-- are null in entries of a single deed.
alter table audit_entries
  -- the hour of the deeds
  add column summary_of timestamptz,
  add column times integer,
  add column last_at timestamptz;

-- Open pages learn of changes by the entries that are written about them.
create trigger audit_entries_repeated after update on audit_entries for each row
  when (old.times is distinct from new.times) execute function note_change();
