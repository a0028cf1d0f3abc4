-- Organisations, people, and who belongs to what.
--
-- The tables suit a sharded Postgres: each table of an organisation has org_id in its primary key and its unique keys,
-- and its foreign keys within the organisation contain org_id. people, organisations, enrollment_tokens, monitors,
-- check_guids, assignments and sync_clock are small and are looked up without an organisation.

-- wire_time formats a time as APIs send it: UTC, six digits, fixed width, so that the order of texts is that of times.
create function wire_time(t timestamptz) returns text language sql stable parallel safe
  return to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- database_time is the time that all processes go by.
create function database_time() returns timestamptz
  language sql volatile parallel safe
  as $$ select clock_timestamp() $$;

-- People sign in. An admin of the server has is_admin.
create table people (
  person_id bigint generated always as identity primary key,
  email text not null,
  -- argon2id. Null: the person has no password.
  password_hash text,
  is_admin boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  -- when the person first used a link sent to the address
  email_proved_at timestamptz,
  -- when somebody signed up with the address without proving it. Null: it is proved, or others made the account.
  claimed_at timestamptz,
  -- how the person reads times. Null: as the browser says. hour_clock is 12 or 24.
  time_zone text,
  hour_clock smallint
);
-- People are looked up by address, in any case.
create unique index people_email on people (lower(email));

-- Organisations own everything else. One that is suspended stands still and keeps its data; delete_at ends it.
create table organisations (
  org_id bigint generated always as identity primary key,
  name text not null,
  plan text not null check (plan in ('free', 'solo', 'double', 'team', 'custom')),
  status_page_enabled boolean not null default false,
  created_at timestamptz not null default now(),
  -- limits and price that an operator agreed on. They outlast a change of plan, so that it can be reverted.
  custom_limits jsonb,
  custom_price_cents integer check (custom_price_cents >= 0),
  custom_price_period text check (custom_price_period in ('month', 'year')),
  suspended_at timestamptz,
  delete_at timestamptz,
  -- 0: unlimited. Null: the limit of the plan.
  max_monitors integer,
  -- when a member hid the list of first steps, for all members
  first_steps_hidden_at timestamptz,
  requires_second_factor boolean not null default false,
  constraint custom_has_limits check (plan <> 'custom' or custom_limits is not null),
  constraint price_has_a_period check ((custom_price_cents is null) = (custom_price_period is null))
);

-- Memberships say who may do what in an organisation. The owner is the member with is_owner, whatever the role.
create table memberships (
  org_id bigint not null,
  person_id bigint not null,
  is_owner boolean not null default false,
  joined_at timestamptz not null default now(),
  -- whether the member gets the weekly report
  weekly_report boolean not null default false,
  role text not null default 'member',
  constraint members_pkey primary key (org_id, person_id),
  constraint members_org_id_fkey foreign key (org_id) references organisations,
  constraint members_person_id_fkey foreign key (person_id) references people
);
alter table memberships
  add constraint members_role_check check (role in ('admin', 'member', 'read_only')) not valid;
-- An organisation has one owner.
create unique index members_one_owner on memberships (org_id) where is_owner;

-- The view shows the members who may change something.
create view members as
  select org_id, person_id, is_owner, joined_at, weekly_report from memberships where is_owner or role <> 'read_only';

-- Invitations wait for people to join. `role` is the role that they get.
create table invitations (
  org_id bigint not null references organisations,
  invitation_id bigint generated always as identity,
  token_hash bytea not null,
  email text not null,
  invited_by bigint not null references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  role text not null default 'member',
  primary key (org_id, invitation_id),
  unique (org_id, token_hash)
);
-- The link in an invitation contains the token alone.
create index invitations_token on invitations (token_hash);
