-- What an organisation tells others: its public status page, and weekly reports to members.

-- Status pages. organisations.status_page_enabled says whether strangers can see one.
create table status_pages (
  org_id bigint primary key references organisations,
  -- the end of its address; it reveals nothing about the organisation unless its owner chooses so
  slug text collate "C" not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$'),
  title text not null,
  description text not null
);

-- Entries of a page, in order, and their public names. A heartbeat also needs its own mark to be shown.
create table status_page_entries (
  org_id bigint not null references status_pages,
  position integer not null,
  public_name text not null,
  check_id bigint,
  heartbeat_id bigint,
  primary key (org_id, position),
  unique (org_id, check_id),
  unique (org_id, heartbeat_id),
  foreign key (org_id, check_id) references checks,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_subject check (num_nonnulls(check_id, heartbeat_id) = 1)
);

-- The history of a page as a worker computed it last, so that visitors wait for no computation. Unlogged, because after a
-- crash it is computed again.
create unlogged table status_histories (
  org_id bigint primary key references organisations(org_id),
  -- days and shares of the checks and heartbeats on the page, without their names
  history json not null,
  computed_at timestamptz not null,
  -- what takes long is computed less often
  took_ms integer not null,
  -- when a visitor last requested the page
  asked_at timestamptz not null,
  -- the process that computes it has until then
  claimed_until timestamptz not null default '-infinity'
);

-- Weekly reports that are being sent or were sent, one for each member and week.
create table weekly_reports (
  org_id bigint not null,
  person_id bigint not null,
  -- the Monday on which it is due
  week date not null,
  -- of the link that ends the reports
  token_hash bytea not null,
  -- when to try again, after the mail server refused the email. Null: it was sent, or that is unknown.
  retry_at timestamptz,
  primary key (org_id, person_id, week),
  foreign key (org_id, person_id) references memberships on delete cascade
);
-- The link contains the token alone.
create index weekly_reports_token on weekly_reports (token_hash);
