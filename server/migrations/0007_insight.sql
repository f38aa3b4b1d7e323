-- What people look at afterwards: when a message left, when a key was last used, and
-- figures by the hour, so that a month is read without reading its verifications.

-- Each names the one event that tells of its end: found by its own id, without an index more on what is written often.
alter table verifications
  add column event_id text collate "C";
alter table deliveries
  add column country text,
  add column sent_at timestamptz,
  add column event_id text collate "C";
alter table keys add column last_used_at timestamptz;

-- Management names a verification by its id alone; figures are gathered over all apps by time. An expression, so
-- that a list of one app, which is in the order of ids too, is never read along this index and through all apps.
create index verifications_by_id on verifications (substr(otp_id, 5));

create index companies_by_name on companies (lower(name), company_id);

create table figures (
  app_id text collate "C" not null,
  -- Of an hour, and of a day once more, so that a year is read without its hours.
  span text not null check (span in ('hour', 'day')),
  starts_at timestamptz not null,
  channel text not null,
  -- 'none' for what has no country.
  country text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  -- Times to approve: numbers of buckets, and how many fell into each.
  approve_buckets smallint[] not null,
  approve_counts integer[] not null,
  expires_at timestamptz not null,
  primary key (app_id, span, starts_at, channel, country)
);
create index figures_expiring on figures (expires_at);

-- What was started or sent before this time is in the figures, each once.
create table figures_progress (
  singleton boolean primary key default true check (singleton),
  gathered_to timestamptz not null
);
insert into figures_progress (gathered_to)
select date_trunc('hour', coalesce(min(created_at), now()), 'UTC') from verifications;
