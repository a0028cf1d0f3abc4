-- How people sign in, and what proves who they are.

-- Sessions are browsers in which somebody is signed in.
create table sessions (
  session_hash bytea primary key,
  person_id bigint not null references people,
  -- the organisation whose pages it shows. Null: the person belongs to none.
  org_id bigint references organisations,
  -- the admin who looks at the pages as this person
  impersonator_id bigint references people,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  has_second_factor boolean not null default false,
  -- where the session was last used
  address text,
  user_agent text
);
-- Signing out everywhere deletes the sessions of a person.
create index sessions_person on sessions (person_id);
-- Disabling an admin ends the sessions that the admin began as others.
create index sessions_impersonator on sessions (impersonator_id) where impersonator_id is not null;
-- A chore deletes expired sessions.
create index sessions_expired on sessions (expires_at);

-- Sign-up links prove an address before there is an account.
create table sign_up_links (
  token_hash bytea primary key,
  email text not null,
  expires_at timestamptz not null
);

-- Password resets are links for people who forgot their password.
create table password_resets (
  token_hash bytea primary key,
  person_id bigint not null references people,
  expires_at timestamptz not null
);
-- A new link ends the earlier ones of its person.
create index password_resets_person on password_resets (person_id);

-- Secrets of authenticator apps. Signing in asks for a code only if the secret is confirmed.
create table totp_secrets (
  person_id bigint primary key references people on delete cascade,
  secret bytea not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- the time step of the last accepted code, because no code counts twice
  last_step bigint not null default 0
);

-- Recovery codes replace a lost authenticator, once each.
create table recovery_codes (
  person_id bigint not null references people on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

-- Passkeys sign in without a password.
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
-- A person's page lists the passkeys.
create index passkeys_person on passkeys (person_id);

-- Accounts at the OpenID provider, and the people that they belong to.
create table provider_accounts (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id bigint not null references people on delete cascade,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject)
);
-- A person's page lists the accounts.
create index provider_accounts_person on provider_accounts (person_id);

-- Sign-ins that a browser has begun: the second step, the challenge for a passkey, the visit to the provider. Each is
-- used once, within minutes.
create table pending_sign_ins (
  token_hash bytea primary key,
  kind text not null,
  person_id bigint references people on delete cascade,
  detail jsonb not null,
  expires_at timestamptz not null
);
-- A chore deletes expired rows.
create index pending_sign_ins_expired on pending_sign_ins (expires_at);
