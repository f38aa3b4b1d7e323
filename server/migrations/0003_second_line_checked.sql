-- Beside the version before: it only reads rows, under a lock that lets everybody write.
--
-- Reads the rows that were there before the constraints of 0002. In a transaction of its own, since that one locks the
-- tables for everybody.

alter table invitations validate constraint invitations_company;
alter table exceptions validate constraint exceptions_company;
alter table sessions validate constraint sessions_person;
alter table sign_in_links validate constraint sign_in_links_person;
alter table verifications
  validate constraint verifications_attempts,
  validate constraint verifications_sends,
  validate constraint verifications_channel,
  validate constraint verifications_link,
  validate constraint verifications_end;
alter table deliveries
  validate constraint deliveries_channel,
  validate constraint deliveries_paid,
  validate constraint deliveries_due,
  validate constraint deliveries_end;
alter table events validate constraint events_type;
alter table ledger
  validate constraint ledger_amount,
  validate constraint ledger_delivery;
alter table tokens validate constraint tokens_hash;
alter table idempotency_keys validate constraint idempotency_keys_hash;
alter table change_replays validate constraint change_replays_hash;
alter table links validate constraint links_hash;
alter table limits validate constraint limits_key;
alter table keys validate constraint keys_hash;
alter table people validate constraint people_email;
alter table invitations validate constraint invitations_email;
alter table sessions validate constraint sessions_hash;
alter table sign_in_links validate constraint sign_in_links_hash;
alter table exceptions validate constraint exceptions_hash;
alter table unreachable
  validate constraint unreachable_hash,
  validate constraint unreachable_channel;
alter table webhook_endpoints
  validate constraint webhook_endpoints_secret,
  validate constraint webhook_endpoints_failures;
alter table companies validate constraint companies_erased;
alter table apps validate constraint apps_settings;
alter table rule_revisions validate constraint rule_revisions_rules;
alter table providers
  validate constraint providers_channel,
  validate constraint providers_settings;
alter table decisions validate constraint decisions_rules;
alter table audit_chains validate constraint audit_chains_anchor;
