-- Results that are stored although their checks could not be judged with them, because somebody else held those checks for too long. A
-- row is one check of one batch. Whoever stores results only inserts here, so nobody waits; a chore locks the checks and takes the rows.
create table unjudged_batches (
  org_id bigint not null,
  check_id bigint not null,
  n bigint generated always as identity,
  monitor_id text collate "C" not null,
  -- not before that: of a batch that is still being stored on a node
  due_at timestamptz not null,
  -- when the first of the results ran by the server's clock; null: the check need not be judged by them
  oldest_at timestamptz,
  -- its monitor uploads what it ran while it could not
  is_catching_up boolean not null,
  -- when those of them ran that readers of arrivals are told of as late, and are not told of yet
  late timestamptz[] not null,
  primary key (org_id, check_id, n)
);
