-- When a window is on for the first time after `spread_until`, so that nothing has to be expanded to show it. Null: never again.
alter table maintenance_windows add column next_at timestamptz;
-- The value of `spread_until` for which `next_at` was found. If they differ, a server of an earlier build has changed `spread_until`, and `next_at`
-- means nothing until the chore has found it.
alter table maintenance_windows add column next_from timestamptz;
