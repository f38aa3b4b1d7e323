-- Spend caps, and the watch over wrong codes.

-- What the price book asks for a message, also where the company is not metered.
alter table deliveries add column spend_micros bigint not null default 0;
alter table verifications
  -- The same, of all its messages in the hour of the last one, less what failed: what an approval gives back.
  add column spend_micros bigint not null default 0,
  add column spend_at timestamptz,
  -- When wrong codes came: while an app is alarmed, the next guess has to wait.
  add column guessed_at timestamptz[] not null default '{}';

-- What an app has spent in one UTC day and country ('day:GB'; 'day:' for those without a country), or in one
-- hour ('hour'). Written under the lock of the company's row.
create table spend_counters (
  app_id text collate "C" not null,
  name text collate "C" not null,
  since timestamptz not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  -- The most that was approved in such a period in the two weeks before.
  best_micros bigint not null,
  expires_at timestamptz not null,
  primary key (app_id, name, since)
) with (fillfactor = 80);
create index spend_counters_expiring on spend_counters (expires_at);

-- Money that was returned, and money whose verification was approved, since the last batch. Only ever inserted
-- by whoever approves or fails a delivery, so that neither waits for a batch.
create table spend_notes (
  app_id text collate "C" not null,
  otp_id text collate "C" not null,
  -- Empty for an approval.
  delivery_id text collate "C" not null,
  country text,
  sent_at timestamptz not null,
  spent_micros bigint not null,
  approved_micros bigint not null,
  expires_at timestamptz not null,
  primary key (app_id, otp_id, delivery_id)
);
create index spend_notes_expiring on spend_notes (expires_at);

-- Guesses of an app by five minutes; each node adds its own once a second.
create table guess_counts (
  app_id text collate "C" not null,
  since timestamptz not null,
  guesses bigint not null,
  failures bigint not null,
  expires_at timestamptz not null,
  primary key (app_id, since)
) with (fillfactor = 80);
create index guess_counts_expiring on guess_counts (expires_at);

-- Apps whose people enter far more wrong codes than usual. An alarm is over when it expires.
create table guess_alarms (
  app_id text collate "C" primary key,
  raised_at timestamptz not null,
  expires_at timestamptz not null
);
create index guess_alarms_expiring on guess_alarms (expires_at);
