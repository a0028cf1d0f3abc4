-- Alerting: channels, events, which alerts go where, and their deliveries.

-- Channels of an organisation. src/channels has the kinds.
create table notification_channels (
  org_id bigint not null references organisations,
  id bigint generated always as identity,
  name text not null,
  kind text not null,
  enabled boolean not null default true,
  -- a copy of destination
  ntfy_topic text not null,
  -- the address that its owner has to confirm, for any kind
  email text not null default '',
  -- copies of destination
  webhook_url text not null,
  webhook_secret text not null,
  created_at timestamptz not null default now(),
  -- a person_id, also of a person who is deleted since. Null: unknown.
  created_by bigint,
  -- when the owner of the address confirmed it; until when it is used unconfirmed; when an email last asked
  confirmed_at timestamptz,
  confirm_by timestamptz,
  asked_at timestamptz,
  -- when the receiver said that it is gone, and when the owner is due an email about that
  gone_at timestamptz,
  gone_mail_at timestamptz,
  -- the fields of the kind by name, each with some text
  destination jsonb,
  -- the name that a client of the configuration API chose
  key text collate "C",
  primary key (org_id, id),
  constraint destination_has_text check (
    destination is not null and jsonb_typeof(destination) = 'object' and destination <> '{}'
    and not jsonb_path_exists(destination, 'strict $.* ? (@.type() != "string" || @ == "")', '{}', true))
);
-- A key is unique in its organisation.
create unique index notification_channels_key on notification_channels (org_id, key) where key is not null;

-- destination_of_columns keeps destination and its copies equal, whichever of them a statement writes.
create function destination_of_columns() returns trigger language plpgsql as $$
begin
  if new.destination is null or (tg_op = 'UPDATE' and new.destination is not distinct from old.destination
      and (new.ntfy_topic, new.email, new.webhook_url, new.webhook_secret)
        is distinct from (old.ntfy_topic, old.email, old.webhook_url, old.webhook_secret)) then
    new.destination := jsonb_strip_nulls(jsonb_build_object(
      'ntfy_topic', nullif(new.ntfy_topic, ''), 'email', nullif(new.email, ''),
      'webhook_url', nullif(new.webhook_url, ''), 'webhook_secret', nullif(new.webhook_secret, '')));
  else
    new.ntfy_topic := coalesce(new.destination ->> 'ntfy_topic', '');
    new.webhook_url := coalesce(new.destination ->> 'webhook_url', '');
    new.webhook_secret := coalesce(new.destination ->> 'webhook_secret', '');
  end if;
  return new;
end $$;
create trigger notification_channels_destination before insert or update on notification_channels
  for each row execute function destination_of_columns();

-- Links by which the owner of an address confirms it. Another address needs another link.
create table channel_confirmations (
  token_hash bytea primary key,
  org_id bigint not null,
  channel_id bigint not null,
  email text not null,
  expires_at timestamptz not null
);

-- Events: what happened. The transaction that causes an event writes it.
create table events (
  org_id bigint not null references organisations,
  -- a uuid; messages contain it
  event_id text collate "C" not null,
  type text not null,
  created_at timestamptz not null,
  -- what it is about, such as `check:7`: a channel gets the events of a subject in their order
  subject text collate "C" not null,
  check_id bigint,
  incident_id text collate "C",
  -- what messages say
  data jsonb not null,
  -- the order of events of one instant. Null: before there was one.
  sequence bigint,
  primary key (org_id, event_id)
);
create sequence events_sequence owned by events.sequence;
alter table events alter column sequence set default nextval('events_sequence');
-- Pages list the newest events of an organisation.
create index events_newest on events (org_id, created_at);
-- Wiping a definition finds the events of its check.
create index events_check on events (org_id, check_id) where check_id is not null;
-- Wiping a definition also finds the messages about many checks.
create index events_coverage on events (org_id) where subject = 'coverage';
-- The page of an incident shows its events in order.
create index events_incident on events (org_id, incident_id, created_at) where incident_id is not null;

-- Deliveries: events on their way to a channel.
create table deliveries (
  org_id bigint not null,
  delivery_id bigint generated always as identity,
  event_id text collate "C" not null,
  channel_id bigint not null,
  subject text collate "C" not null,
  -- superseded: a newer event was sent in its place
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'superseded')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  next_attempt_at timestamptz,
  -- a sender has it until then
  leased_until timestamptz,
  -- a newer event waits behind it
  is_last_attempt boolean not null default false,
  -- of the last attempt
  last_attempt_at timestamptz,
  last_error text,
  last_status integer,
  last_latency_ms integer,
  -- the next regular attempt while an earlier one is made in addition, and the earliest time for one
  planned_at timestamptz,
  not_before timestamptz,
  -- whether it was counted against the budgets of alerts
  is_charged boolean not null default false,
  -- the delivery whose message sums it up together with others
  summary_id bigint,
  -- as a route says. Null: as the type of the event says.
  severity text,
  -- deliveries of one group go out in one message
  group_id text collate "C",
  primary key (org_id, delivery_id),
  foreign key (org_id, event_id) references events,
  foreign key (org_id, channel_id) references notification_channels on delete cascade,
  constraint pending_has_a_next_attempt check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
-- Senders ask what is due.
create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';
-- Deliveries of one subject wait for each other on a channel.
create index deliveries_pending on deliveries (org_id, channel_id, subject, delivery_id) where state = 'pending';
-- The delivery log is read newest first.
create index deliveries_newest on deliveries (org_id, created_at, delivery_id);
-- Deleting a channel deletes its deliveries.
create index deliveries_channel on deliveries (org_id, channel_id);
-- Deleting an event asks whether a delivery of it is left.
create index deliveries_event on deliveries (org_id, event_id);
-- Senders take what is due first of each channel in turn, without reading all that waits on one.
create index deliveries_turns on deliveries (org_id, channel_id, next_attempt_at, delivery_id)
  where state = 'pending';
-- A summary counts its deliveries.
create index deliveries_summarised on deliveries (org_id, summary_id) where summary_id is not null;
-- A group is sent as a whole.
create index deliveries_group on deliveries (org_id, group_id) where group_id is not null;

-- Planned alerts may be sent later, or never. A delivery is written only when an alert may go out.
create table planned_alerts (
  org_id bigint not null references organisations,
  event_id text collate "C" not null,
  -- no foreign key: after the channel is deleted, the alert is decided again
  channel_id bigint not null,
  -- as in the event
  subject text collate "C" not null,
  incident_id text collate "C",
  -- the step of escalation; 0 is the first
  step smallint not null default 0,
  -- as a route says. Null: as the type of the event says.
  severity text,
  -- when it is decided again
  due_at timestamptz not null,
  -- why it waits: a word, for some with an id behind it
  held_by text not null,
  created_at timestamptz not null,
  -- when the hold ends. Null: unknown, or it waits for no hold.
  held_until timestamptz,
  -- an event goes to a channel once
  primary key (org_id, event_id, channel_id),
  foreign key (org_id, event_id) references events
);
-- A chore decides what is due.
create index planned_alerts_due on planned_alerts (due_at);
-- A recovery finds the alerts that wait about its subject.
create index planned_alerts_subject on planned_alerts (org_id, subject);
-- Alerts that wait because of a monitor may go when other monitors see the same.
create index planned_alerts_grouping on planned_alerts (org_id, held_by) where held_by like 'grouping:%';

-- Routes say which alerts go where, and when. An alert that no enabled route matches goes to every channel.
create table alert_routes (
  org_id bigint not null references organisations,
  route_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  -- the order in which people see them
  position integer not null,
  -- {"all": true}, {"tags": [..]} or {"checks": [guid], "heartbeats": [guid]}
  scope jsonb not null,
  -- groups of event types; empty: all
  events text[] not null,
  severity text,
  -- {"from": "22:00", "to": "07:00", "days": [1..7], "zone": "Europe/Paris", "holds_down": false}
  quiet jsonb,
  delay_sec integer not null,
  -- [{"after_sec": 0, "channel_ids": [..]}, {"after_sec": 900, "rotation": {"channel_ids", "starts_on", "at", "zone"}}]
  steps jsonb not null,
  enabled boolean not null,
  created_at timestamptz not null,
  -- the name that a client of the configuration API chose
  key text collate "C",
  primary key (org_id, route_id),
  unique (org_id, guid)
);
-- A key is unique in its organisation.
create unique index alert_routes_key on alert_routes (org_id, key) where key is not null;
