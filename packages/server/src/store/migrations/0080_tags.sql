-- Words that checks and heartbeats are found by, and that their alerts are routed by: in lower case and in order, each once.
alter table checks add column tags text[] not null default '{}';
alter table heartbeats add column tags text[] not null default '{}';
