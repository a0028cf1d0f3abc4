-- Silence of monitors and checks.

-- Its silence counts from then at the earliest: it was switched on, or found to be back.
alter table monitors add column watched_since timestamptz;

-- What a check's definition left in messages about many checks, to be blanked when it is wiped
create index events_coverage on events (org_id) where subject = 'coverage';
