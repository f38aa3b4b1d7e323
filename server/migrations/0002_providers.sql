-- Provider accounts. The company is the owner's, or 'operator'. Credentials are sealed and never read back.
create table providers (
  company_id text collate "C" not null,
  provider_id text collate "C" not null,
  channel text not null,
  kind text not null,
  name text,
  settings jsonb not null,
  secrets bytea not null,
  countries text[],
  priority integer not null default 100,
  enabled boolean not null default true,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  primary key (company_id, provider_id)
);
-- Management names an account by its id alone.
create index providers_by_id on providers (provider_id);
