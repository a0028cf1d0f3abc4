-- Wiping a definition from results: after the definition itself, and once more when every batch that was under way is stored.

alter table check_states add column wipe_until timestamptz;
create index check_states_wipe on check_states (wipe_until) where wipe_until is not null;
