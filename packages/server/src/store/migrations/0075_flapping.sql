-- When a check last went down or came up, at most the five newest, oldest first. While it is flapping people are told
-- nothing of its changes: since when, and how many there were. Unless every change of the check is to be told.
alter table checks add column alert_every_change boolean not null default false;
alter table check_states
  add column changes jsonb not null default '[]',
  add column flapping_since timestamptz,
  add column change_count integer not null default 0;
