-- What people do in a browser: sessions, invitations, forgotten passwords, and who changed what.

create table sessions (
  session_hash bytea primary key,
  person_id bigint not null references people,
  -- whose pages it shows; null while its person belongs to no org
  org_id bigint references organisations,
  -- the admin who looks through this person's eyes
  impersonator_id bigint references people,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);
-- Signing out everywhere
create index sessions_person on sessions (person_id);
create index sessions_impersonator on sessions (impersonator_id) where impersonator_id is not null;
create index sessions_expired on sessions (expires_at);

create table invitations (
  org_id bigint not null references organisations,
  invitation_id bigint generated always as identity,
  token_hash bytea not null,
  email text not null,
  invited_by bigint not null references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, invitation_id),
  unique (org_id, token_hash)
);
create index invitations_token on invitations (token_hash);

create table password_resets (
  token_hash bytea primary key,
  person_id bigint not null references people,
  expires_at timestamptz not null
);
create index password_resets_person on password_resets (person_id);

-- Who changed what in an org. The actor's address is kept as it was then.
create table audit_entries (
  org_id bigint not null references organisations,
  entry_id bigint generated always as identity,
  created_at timestamptz not null,
  actor text not null,
  -- the admin behind the actor's face
  impersonator text,
  -- `check.create`
  action text not null,
  -- what it was done to, as people name it
  subject text not null,
  -- the check it was about, so that a wiped definition is wiped here, too
  check_id bigint,
  detail jsonb not null default '{}',
  primary key (org_id, entry_id)
);
create index audit_entries_newest on audit_entries (org_id, created_at);

alter table personal_access_tokens add column name text not null default '';
