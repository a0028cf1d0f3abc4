-- Alerts that are to be sent later, or perhaps never. A delivery is written only when an alert may go out.
create table planned_alerts (
  org_id bigint not null references organisations,
  event_id text collate "C" not null,
  -- not a reference: when a channel is deleted, the alert is decided anew, so that it is not lost with it
  channel_id bigint not null,
  -- as in the event
  subject text collate "C" not null,
  incident_id text collate "C",
  -- the escalation step that it belongs to; 0 is the first
  step smallint not null default 0,
  -- as the route says; null: as the type of the event says
  severity text,
  -- when it is decided again
  due_at timestamptz not null,
  -- why it waits: a word, for some with an id behind it
  held_by text not null,
  created_at timestamptz not null,
  -- an event goes to a channel once
  primary key (org_id, event_id, channel_id),
  foreign key (org_id, event_id) references events
);
create index planned_alerts_due on planned_alerts (due_at);
create index planned_alerts_subject on planned_alerts (org_id, subject);

-- held_by: nobody was told of it yet, and why. told_at is then when people would have been told.
alter table incidents add column held_by text;

-- As a route says; null: as the type of the event says.
alter table deliveries add column severity text;
