-- Alerting: what is down and since when, what is told of it, and to whom.

-- A time in which a check or a heartbeat was held to be down. Open while ended_at is null.
create table incidents (
  org_id bigint not null references organisations,
  -- a uuid: messages carry it
  incident_id text collate "C" not null,
  check_id bigint,
  heartbeat_id bigint,
  -- when the first of the failures ran, or the beat was missed
  began_at timestamptz not null,
  -- when people were last told that it is down
  told_at timestamptz not null,
  reminders integer not null default 0,
  ended_at timestamptz,
  end_reason text check (end_reason in ('recovered', 'threshold', 'disabled', 'deleted')),
  primary key (org_id, incident_id),
  foreign key (org_id, check_id) references checks,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_subject check (num_nonnulls(check_id, heartbeat_id) = 1),
  constraint an_end_has_a_reason check ((ended_at is null) = (end_reason is null))
);
-- At most one that is open; ingest asks for them with every batch, the reminders once in a while.
create unique index incidents_open_check on incidents (org_id, check_id) where ended_at is null and check_id is not null;
create unique index incidents_open_heartbeat on incidents (org_id, heartbeat_id)
  where ended_at is null and heartbeat_id is not null;
-- The incidents of one subject, newest first.
create index incidents_check on incidents (org_id, check_id, began_at) where check_id is not null;
create index incidents_heartbeat on incidents (org_id, heartbeat_id, began_at) where heartbeat_id is not null;

-- A row for each check that ever failed or fell silent. Who judges a check holds it, so that two batches cannot overlook
-- each other's results.
create table check_states (
  org_id bigint not null,
  check_id bigint not null,
  -- judge it again then: a result may have come between, or one that lies ahead may have come of age
  rejudge_at timestamptz,
  -- no run of it has arrived since
  unmonitored_since timestamptz,
  primary key (org_id, check_id),
  foreign key (org_id, check_id) references checks
) with (fillfactor = 70);
create index check_states_rejudge on check_states (rejudge_at) where rejudge_at is not null;
create index check_states_unmonitored on check_states (org_id, check_id) where unmonitored_since is not null;

alter table monitors add column offline_since timestamptz;

-- What happened, as it is told. Written in the transaction that caused it.
create table events (
  org_id bigint not null references organisations,
  -- a uuid: messages carry it
  event_id text collate "C" not null,
  type text not null,
  created_at timestamptz not null,
  -- what it is about: `check:7`; those of one subject reach a channel in their order
  subject text collate "C" not null,
  check_id bigint,
  incident_id text collate "C",
  -- what messages say
  data jsonb not null,
  primary key (org_id, event_id)
);
create index events_newest on events (org_id, created_at);
-- A check whose definition is wiped
create index events_check on events (org_id, check_id) where check_id is not null;

create table deliveries (
  org_id bigint not null,
  delivery_id bigint generated always as identity,
  event_id text collate "C" not null,
  channel_id bigint not null,
  subject text collate "C" not null,
  -- superseded: something newer was told instead
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'superseded')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  next_attempt_at timestamptz,
  -- a sender has it until then
  leased_until timestamptz,
  -- something newer waits behind it: once more, and then no more
  is_last_attempt boolean not null default false,
  -- of the last attempt
  last_attempt_at timestamptz,
  last_error text,
  last_status integer,
  last_latency_ms integer,
  primary key (org_id, delivery_id),
  foreign key (org_id, event_id) references events,
  foreign key (org_id, channel_id) references notification_channels on delete cascade,
  constraint pending_has_a_next_attempt check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
-- The sender claims what is due.
create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';
-- What waits on one channel about one subject, in order
create index deliveries_pending on deliveries (org_id, channel_id, subject, delivery_id) where state = 'pending';
-- The log, newest first
create index deliveries_newest on deliveries (org_id, created_at, delivery_id);

-- Whether the service can be called: told every few seconds by any process that takes requests.
create table service_presence (
  is_the_one boolean primary key default true check (is_the_one),
  alive_at timestamptz not null
) with (fillfactor = 50);

-- When it could not be called. Silence during these is nobody's fault but ours.
create table service_outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);
