-- How a session began, and from where. Sessions of the build before have none of it: they count as begun by a password alone.
alter table sessions
  add column has_second_factor boolean not null default false,
  -- where the session was last used
  add column address text,
  add column user_agent text;

alter table organisations add column requires_second_factor boolean not null default false;

-- The secret of an authenticator app. Not confirmed: no code of it was entered yet, and signing in does not ask for one.
create table totp_secrets (
  person_id bigint primary key references people on delete cascade,
  secret bytea not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- the time step of the last code that was accepted: no code counts twice
  last_step bigint not null default 0
);

create table recovery_codes (
  person_id bigint not null references people on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table passkeys (
  -- as the browser names it, base64url
  credential_id text collate "C" primary key,
  person_id bigint not null references people on delete cascade,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_person on passkeys (person_id);

-- Accounts at the OpenID provider, and whose they are here.
create table provider_accounts (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id bigint not null references people on delete cascade,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject)
);
create index provider_accounts_person on provider_accounts (person_id);

-- What a browser has begun and not finished: a sign-in that waits for its second step, a challenge for a passkey, a visit to the
-- provider. Each is used once, within minutes.
create table pending_sign_ins (
  token_hash bytea primary key,
  kind text not null,
  person_id bigint references people on delete cascade,
  detail jsonb not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_expired on pending_sign_ins (expires_at);
