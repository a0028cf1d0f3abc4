-- Checks and heartbeats of which nobody is told for a while.
create table mutes (
  org_id bigint not null references organisations,
  -- as in the events: check:7, heartbeat:3
  subject text collate "C" not null,
  muted_until timestamptz not null,
  muted_at timestamptz not null,
  -- the email address of a person
  muted_by text not null,
  primary key (org_id, subject)
);
