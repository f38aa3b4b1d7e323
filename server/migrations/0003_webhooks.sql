-- Webhook endpoints, and what became of each event. An event is inserted as waiting and due at once; the
-- sender finds out whether its app has an endpoint.

create table webhook_endpoints (
  app_id text collate "C" primary key references apps,
  url text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  -- 'probing': enabled again, one event alone decides whether the rest follows.
  status text not null check (status in ('active', 'probing', 'paused')),
  paused_at timestamptz,
  reason text,
  failures integer not null default 0,
  last_success_at timestamptz,
  created_at timestamptz not null default now()
);

alter table events
  add column status text not null default 'waiting'
    check (status in ('waiting', 'sending', 'delivered', 'failed', 'expired', 'skipped')),
  add column attempt integer not null default 0,
  add column next_attempt_at timestamptz not null default now(),
  -- First attempts and what is drained after a pause come before old retries.
  add column is_retry boolean not null default false,
  -- False for a replay that a person asked for: one attempt, whatever comes of it.
  add column is_retried boolean not null default true,
  add column is_test boolean not null default false;
create index events_waiting on events (app_id, is_retry, next_attempt_at, event_id) where status = 'waiting';
create index events_sending on events (app_id, next_attempt_at) where status = 'sending';

-- Management names an event by its id alone.
create index events_by_id on events (event_id);

create table event_attempts (
  app_id text collate "C" not null,
  event_id text collate "C" not null,
  attempt integer not null,
  at timestamptz not null,
  status integer,
  latency_ms integer not null,
  answer text,
  error text,
  primary key (app_id, event_id, attempt, at)
) partition by range (event_id);
