-- Alerts beyond a budget are told together in one message, and the owner of an email address confirms that alerts may go there.

-- is_charged: it was counted against the budgets. summary_id: the delivery that told of it together with others.
alter table deliveries add column is_charged boolean not null default false, add column summary_id bigint;

-- confirmed_at: the owner of the address said so. confirm_by: until then it is used without. asked_at: when a mail last asked.
alter table notification_channels add column confirmed_at timestamptz, add column confirm_by timestamptz,
  add column asked_at timestamptz;

-- A link by mail was used: whoever signs in here has that mailbox.
alter table people add column email_proved_at timestamptz;

-- Links by which the owner of an address confirms it.
create table channel_confirmations (
  token_hash bytea primary key,
  org_id bigint not null,
  channel_id bigint not null,
  -- as it was asked: another address needs another link
  email text not null,
  expires_at timestamptz not null
);

-- safe: a few rows for each organisation, and nobody waits for one of them longer than the file takes
update notification_channels set confirm_by = now() + interval '30 days' where kind = 'email';
