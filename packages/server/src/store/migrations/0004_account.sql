-- What the account API reads besides checks and monitors: tokens, heartbeats, channels.

create table personal_access_tokens (
  token_id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  org_id bigint not null references organisations,
  -- who minted it; it works as long as this person is a member
  person_id bigint not null references people,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create table heartbeats (
  org_id bigint not null references organisations,
  heartbeat_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  interval_sec integer not null check (interval_sec > 0),
  grace_sec integer not null check (grace_sec >= 0),
  -- 0: never
  resend_interval_sec integer not null check (resend_interval_sec >= 0),
  show_on_status_page boolean not null,
  enabled boolean not null default true,
  platform_enabled boolean not null default true,
  state text not null default 'new' check (state in ('new', 'up', 'down')),
  down_since timestamptz,
  last_heartbeat_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (org_id, heartbeat_id),
  unique (org_id, guid),
  constraint down_has_a_beginning check ((state = 'down') = (down_since is not null))
);

-- The way from a guid or a ping URL to its heartbeat, over all orgs. The token is kept readable: its page shows the URL again.
create table heartbeat_keys (
  guid text collate "C" primary key,
  token text collate "C" not null unique,
  org_id bigint not null,
  heartbeat_id bigint not null,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade
);

create table notification_channels (
  org_id bigint not null references organisations,
  id bigint generated always as identity,
  name text not null,
  kind text not null check (kind in ('ntfy', 'email', 'webhook', 'slack')),
  enabled boolean not null default true,
  -- empty: not of this kind; a webhook without a secret is sent unsigned
  ntfy_topic text not null,
  email text not null,
  webhook_url text not null,
  webhook_secret text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, id),
  constraint one_destination check (case kind
    when 'ntfy' then ntfy_topic <> '' and email = '' and webhook_url = '' and webhook_secret = ''
    when 'email' then email <> '' and ntfy_topic = '' and webhook_url = '' and webhook_secret = ''
    when 'webhook' then webhook_url <> '' and ntfy_topic = '' and email = ''
    else webhook_url <> '' and webhook_secret = '' and ntfy_topic = '' and email = '' end)
);
