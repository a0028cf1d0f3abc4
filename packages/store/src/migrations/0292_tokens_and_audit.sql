-- Tokens of the APIs, and the log of who changed what.

-- Tokens of the account API, which reads. One works as long as the person is a member.
create table personal_access_tokens (
  token_id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  org_id bigint not null references organisations,
  person_id bigint not null references people,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  name text not null default ''
);

-- Tokens of the configuration API, which writes. One works as long as the person is a member.
create table configuration_tokens (
  token_id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  org_id bigint not null references organisations,
  person_id bigint not null references people,
  name text not null,
  scopes text[] not null,
  -- the addresses that it can be used from. Null: all.
  address_range cidr,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_from inet,
  constraint configuration_tokens_scopes_check check (cardinality(scopes) between 1 and 40)
);
-- The pages of an organisation and of a person list their tokens.
create index configuration_tokens_of_org on configuration_tokens (org_id);
create index configuration_tokens_of_person on configuration_tokens (person_id);

-- Responses to requests with an idempotency key, kept for a day: a repeat gets the same response. The transaction that
-- does what was requested writes the row, so that nothing is done twice.
create table repeatable_answers (
  org_id bigint not null references organisations,
  token_id bigint not null references configuration_tokens on delete cascade,
  idempotency_key text collate "C" not null,
  -- SHA-256 of method, path and body
  request_hash bytea not null,
  status smallint not null,
  headers json not null,
  body text not null,
  created_at timestamptz not null,
  primary key (org_id, token_id, idempotency_key)
);
-- A chore deletes the oldest.
create index repeatable_answers_oldest on repeatable_answers (created_at);

-- The audit log of an organisation. An actor's address is that of the time.
create table audit_entries (
  org_id bigint not null references organisations,
  entry_id bigint generated always as identity,
  created_at timestamptz not null,
  actor text not null,
  -- the admin who acted as the actor
  impersonator text,
  -- such as `check.create`
  action text not null,
  -- what was changed, as people name it
  subject text not null,
  -- the check, so that wiping its definition wipes the entry
  check_id bigint,
  detail jsonb not null default '{}',
  -- Repeated actions, beyond what an actor or organisation may write in a day, are one entry for each hour, actor and
  -- action: the hour, their number, and the last one. Null in an entry of a single action.
  summary_of timestamptz,
  times integer,
  last_at timestamptz,
  primary key (org_id, entry_id)
);
-- The log is read newest first.
create index audit_entries_newest on audit_entries (org_id, created_at);
-- A repeated action finds its entry.
create unique index audit_entries_summary
  on audit_entries (org_id, summary_of, actor, action, (coalesce(impersonator, '')), (coalesce(detail ->> 'token', '')))
  where summary_of is not null;
