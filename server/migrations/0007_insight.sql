-- What people look at afterwards: when wrong codes came, when a message left, when a key was last used, and
-- figures by the hour, so that a month is read without reading its verifications.

alter table verifications add column guessed_at timestamptz[] not null default '{}';
alter table deliveries add column sent_at timestamptz;
alter table keys add column last_used_at timestamptz;

-- Management names a verification by its id alone; figures are gathered over all apps by time.
create index verifications_by_id on verifications (otp_id);
create index events_of_verification on events (app_id, otp_id);

create index companies_by_name on companies (lower(name), company_id);

create table hourly_figures (
  app_id text collate "C" not null,
  hour timestamptz not null,
  channel text not null,
  -- 'none' for what has no country.
  country text not null,
  sends integer not null,
  messages integer not null,
  delivered integer not null,
  failed integer not null,
  approvals integer not null,
  cost_micros bigint not null,
  -- Times to approve: numbers of buckets, and how many fell into each. A bucket may stand there more than once.
  approve_buckets smallint[] not null,
  approve_counts integer[] not null,
  expires_at timestamptz not null,
  primary key (app_id, hour, channel, country)
);
create index hourly_figures_expiring on hourly_figures (expires_at);

-- Verifications that were started before this time are in the figures, each once.
create table figures_progress (
  singleton boolean primary key default true check (singleton),
  gathered_to timestamptz not null
);
insert into figures_progress (gathered_to)
select date_trunc('hour', coalesce(min(created_at), now()), 'UTC') from verifications;
