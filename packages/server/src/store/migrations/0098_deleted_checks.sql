-- What is needed to take back the deletion of a check, until the deletion is final. Meanwhile the check's row keeps its definition.
create table deleted_checks (
  org_id bigint not null,
  check_id bigint not null,
  -- Checks that were deleted together come back together.
  batch_id text collate "C" not null,
  deleted_at timestamptz not null,
  deleted_by text not null,
  kept jsonb not null,
  primary key (org_id, check_id),
  foreign key (org_id, check_id) references checks (org_id, check_id) on delete cascade
);
-- The chore that makes deletions final looks for the oldest.
create index deleted_checks_oldest on deleted_checks (deleted_at);
