-- Who is handing a message over, and that it was taken over from a process that died: it may have left twice.
alter table deliveries
  add column held_by text,
  add column taken_over_at timestamptz;

-- What waits is found by company and account: what waits for a busy account is in nobody's way.
create index deliveries_waiting on deliveries (company_id, provider_id, next_attempt_at) where status = 'queued';
drop index deliveries_due;

-- Processes that hand messages over, of no company. One that is not here, or expired, has died.
create table workers (
  worker_id text collate "C" primary key,
  expires_at timestamptz not null
);
create index workers_expiring on workers (expires_at);

-- Receipts that were quicker than our own word on the message. The company is the account's owner, or 'operator'.
create table early_receipts (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  -- The keyed hash of the provider's id for the message, or the id of the delivery.
  name bytea not null,
  status text not null check (status in ('delivered', 'failed')),
  error_code text,
  error_message text,
  unreachable boolean not null,
  is_swept boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (company_id, provider_id, name, status)
);
create index early_receipts_expiring on early_receipts (expires_at);
-- Over all companies: few are ever left by a crash, and each is looked at once more.
create index early_receipts_unswept on early_receipts (created_at) where not is_swept;
