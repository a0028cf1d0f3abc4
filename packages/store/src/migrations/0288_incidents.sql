-- Verdicts: the state of each check, incidents and degradations, and what members say about them.

-- States of checks that ever failed or fell silent. Judging a check locks its row, so that two batches cannot miss each
-- other's results.
create table check_states (
  org_id bigint not null,
  check_id bigint not null,
  -- judge again then: a result may have come in between, or one from the future comes of age
  rejudge_at timestamptz,
  -- no run has arrived since
  unmonitored_since timestamptz,
  -- until then, the definition is wiped from results again, for batches that are being stored
  wipe_until timestamptz,
  -- earlier results no longer count: the check was enabled, edited or given back to a monitor
  judged_from timestamptz,
  -- judging waits since then because a monitor is catching up, and the oldest result that waits
  late_since timestamptz,
  late_from timestamptz,
  -- a message about the monitors of the check replaces that about the check
  unmonitored_quietly boolean not null default false,
  -- the last number in late_results
  late_n bigint not null default 0,
  -- when the check last went down or came up, at most the five newest, oldest first
  changes jsonb not null default '[]',
  -- while a check is flapping, its changes are only counted
  flapping_since timestamptz,
  change_count integer not null default 0,
  -- only a check that was judged since its newest result can have failed without being down
  judged_at timestamptz,
  -- the monitors that decided the last verdict, sorted. Null: not judged by several.
  quorum text[],
  -- when these last changed, and how many monitors took turns before that
  quorum_since timestamptz,
  quorum_turns integer,
  -- when monitors last stopped counting, by id: their earlier results do not count if they return
  quorum_left jsonb not null default '{}',
  primary key (org_id, check_id),
  foreign key (org_id, check_id) references checks
) with (fillfactor = 70);
-- A chore judges the checks that are due.
create index check_states_rejudge on check_states (rejudge_at) where rejudge_at is not null;
-- Lists and summaries ask for the unmonitored checks of an organisation.
create index check_states_unmonitored on check_states (org_id, check_id) where unmonitored_since is not null;
-- A chore wipes again.
create index check_states_wipe on check_states (wipe_until) where wipe_until is not null;
-- A change of monitors looks for checks that several monitors judge.
create index check_states_quorum on check_states (org_id, check_id) where quorum is not null;

-- Incidents: times in which a check or a heartbeat is down. Open while ended_at is null.
create table incidents (
  org_id bigint not null references organisations,
  -- a uuid; messages contain it
  incident_id text collate "C" not null,
  check_id bigint,
  heartbeat_id bigint,
  -- when the first of the failures ran, or the ping was missed
  began_at timestamptz not null,
  -- when people were last alerted, or, with held_by, would have been
  told_at timestamptz not null,
  reminders integer not null default 0,
  ended_at timestamptz,
  end_reason text check (end_reason in ('recovered', 'threshold', 'disabled', 'deleted')),
  -- why nobody was alerted yet
  held_by text,
  -- why the check was down, and by which rules: {"failures": 3, "places": {"failing": 2, "of": 3}, "turned_at": "...",
  -- "rules": "1/majority/1"}
  verdict jsonb,
  -- who takes care of it, since when: the address of a person, or the name of a channel
  acknowledged_at timestamptz,
  acknowledged_by text,
  primary key (org_id, incident_id),
  foreign key (org_id, check_id) references checks,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_subject check (num_nonnulls(check_id, heartbeat_id) = 1),
  constraint an_end_has_a_reason check ((ended_at is null) = (end_reason is null))
);
-- A subject has at most one open incident. Every batch asks for those of its checks.
create unique index incidents_open_check on incidents (org_id, check_id) where ended_at is null and check_id is not null;
create unique index incidents_open_heartbeat on incidents (org_id, heartbeat_id)
  where ended_at is null and heartbeat_id is not null;
-- Pages list the incidents of one subject, newest first.
create index incidents_check on incidents (org_id, check_id, began_at) where check_id is not null;
create index incidents_heartbeat on incidents (org_id, heartbeat_id, began_at) where heartbeat_id is not null;
-- Pages list the incidents of an organisation by their beginnings, and ask which were open at a time.
create index incidents_newest on incidents (org_id, began_at) include (ended_at);
-- The checks that went down last decide whether their monitor fails; however many are down, only the newest are read.
create index incidents_turned on incidents (org_id, ((verdict ->> 'turned_at') collate "C"))
  where check_id is not null and ended_at is null;

-- Notes of members about an incident.
create table incident_notes (
  org_id bigint not null references organisations,
  note_id bigint generated always as identity,
  incident_id text collate "C" not null,
  created_at timestamptz not null,
  -- a person_id, also of a person who is deleted since, and the address at that time
  author_id bigint not null,
  author text not null,
  body text not null,
  edited_at timestamptz,
  primary key (org_id, note_id),
  foreign key (org_id, incident_id) references incidents on delete cascade
);
-- The page of an incident shows its notes in order.
create index incident_notes_incident on incident_notes (org_id, incident_id, note_id);

-- Postmortems: one text for each incident, which every member may edit.
create table postmortems (
  org_id bigint not null references organisations,
  incident_id text collate "C" not null,
  body text not null,
  edited_at timestamptz not null,
  -- the address of a person
  edited_by text not null,
  primary key (org_id, incident_id),
  foreign key (org_id, incident_id) references incidents on delete cascade
);

-- Degradations: times in which a check is up, but slow or with a certificate that expires soon.
create table degradations (
  org_id bigint not null references organisations,
  -- events name it as their incident
  degradation_id text collate "C" not null,
  check_id bigint not null,
  kind text not null check (kind in ('slow', 'certificate')),
  began_at timestamptz not null,
  ended_at timestamptz,
  -- how slow, or how many days are left
  reason text not null,
  end_reason text,
  -- people are warned once of each certificate and number of days
  cert_expires_at timestamptz,
  warn_days integer,
  primary key (org_id, degradation_id),
  check ((kind = 'certificate') = (cert_expires_at is not null and warn_days is not null))
);
-- A check has at most one open degradation of a kind.
create unique index degradations_open on degradations (org_id, check_id, kind) where ended_at is null;
-- Pages and warnings read the degradations of a check in order.
create index degradations_of_check on degradations (org_id, check_id, kind, began_at);

-- Monitors from which many checks fail that no other monitor sees failing. One message about the monitor replaces the
-- alerts about the checks.
create table failing_monitors (
  org_id bigint not null references organisations,
  monitor_id text collate "C" not null,
  -- when alerts first waited because of it
  suspected_at timestamptz not null,
  -- when people were alerted. Null: it is only suspected.
  began_at timestamptz,
  -- a monitor with many checks is looked at in parts: how many parts, and how many in a row found no failing
  looks integer not null default 0,
  quiet_looks integer not null default 0,
  primary key (org_id, monitor_id)
);

-- Mutes hold the alerts about a check or a heartbeat.
create table mutes (
  org_id bigint not null references organisations,
  -- as in the events: check:7, heartbeat:3
  subject text collate "C" not null,
  -- of a mute with incident_id, when it was made
  muted_until timestamptz not null,
  muted_at timestamptz not null,
  -- the address of a person
  muted_by text not null,
  -- the mute lasts until this incident has ended
  incident_id text collate "C",
  primary key (org_id, subject)
);
