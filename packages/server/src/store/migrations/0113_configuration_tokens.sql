-- Tokens of the configuration API, which writes; those of the account API only read.
create table configuration_tokens (
  token_id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  org_id bigint not null references organisations,
  -- who made it; it works as long as this person is a member
  person_id bigint not null references people,
  name text not null,
  scopes text[] not null check (cardinality(scopes) between 1 and 20),
  -- the addresses that it may be used from; null: all
  address_range cidr,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_from inet
);
create index configuration_tokens_of_org on configuration_tokens (org_id);
create index configuration_tokens_of_person on configuration_tokens (person_id);

-- Answers to requests that had an idempotency key, kept for a day: a repeat gets the same answer, and nothing is done twice. The row is
-- written in the transaction that does what was asked.
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
create index repeatable_answers_oldest on repeatable_answers (created_at);
