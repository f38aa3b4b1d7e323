-- Beside the version before: whatever it writes keeps to all of this already.
--
-- What must hold even if a statement is wrong, beside the keys. `not valid` means that rows are checked from now on, and
-- that no table is read while it is locked; the next migration reads them, under a lock that lets everybody write.

-- Locked first, in the order of those who use them: whoever has begun ends before anything is locked that they still
-- need, and whoever comes waits at the beginning.
lock table companies, verifications, deliveries, limits;

-- An id that is looked up alone leads to one owner.
drop index apps_by_id;
create unique index apps_by_id on apps (app_id);
drop index keys_by_id;
create unique index keys_by_id on keys (key_id);
drop index providers_by_id;
create unique index providers_by_id on providers (provider_id);

-- A company or a person that exists. Only where rows are few: on others, the check for each row costs as much as the row.
alter table invitations add constraint invitations_company foreign key (company_id) references companies not valid;
alter table exceptions add constraint exceptions_company foreign key (company_id) references companies not valid;
alter table sessions add constraint sessions_person foreign key (person_id) references people not valid;
alter table sign_in_links add constraint sign_in_links_person foreign key (person_id) references people not valid;
create index sign_in_links_of_person on sign_in_links (person_id);

-- Nothing here compares two times: a clock that was ahead and is put right leaves rows that end before they began.
alter table verifications
  add constraint verifications_attempts check (attempts between 0 and max_attempts) not valid,
  add constraint verifications_sends check (sends between 1 and max_sends) not valid,
  add constraint verifications_channel check (channel in ('sms', 'whatsapp', 'telegram', 'email')) not valid,
  add constraint verifications_link check (link_mode is null or channel = 'whatsapp') not valid,
  add constraint verifications_end check (
    (status = 'pending') = (event_id is null) and (status = 'approved') = (verified_at is not null)
    and (approved_by is null or status = 'approved') and (cancelled_at is null or status = 'failed')) not valid;
alter table deliveries
  add constraint deliveries_channel check (channel in ('sms', 'whatsapp', 'telegram', 'email')) not valid,
  add constraint deliveries_paid check (
    charge = case status when 'queued' then 'reserved' when 'failed' then 'returned' else 'captured' end) not valid,
  add constraint deliveries_due check (status <> 'queued' or next_attempt_at is not null) not valid,
  add constraint deliveries_end check ((status in ('delivered', 'failed')) = (event_id is not null)) not valid;
alter table events
  add constraint events_type check (type in ('otp.approved', 'otp.failed', 'delivery.delivered', 'delivery.failed')) not valid;
alter table ledger
  add constraint ledger_amount check (
    case kind when 'reserve' then amount_micros < 0 when 'capture' then amount_micros = 0
              when 'return' then amount_micros > 0 else true end) not valid,
  add constraint ledger_delivery check ((kind in ('reserve', 'capture', 'return')) = (delivery_id is not null)) not valid;
alter table tokens add constraint tokens_hash check (token_hash <> '') not valid;
alter table idempotency_keys add constraint idempotency_keys_hash check (key_hash <> '' and answer <> '') not valid;
alter table change_replays add constraint change_replays_hash check (key_hash <> '') not valid;
alter table links add constraint links_hash check (reference_hash <> '' and code_version > 0) not valid;
alter table limits add constraint limits_key check (limit_key <> '') not valid;
alter table keys add constraint keys_hash check (key_hash <> '') not valid;
alter table people add constraint people_email check (email <> '' and email_hash <> '') not valid;
alter table invitations add constraint invitations_email check (email <> '' and email_hash <> '') not valid;
alter table sessions add constraint sessions_hash check (token_hash <> '' and previous_hash <> '') not valid;
alter table sign_in_links add constraint sign_in_links_hash check (token_hash <> '') not valid;
alter table exceptions add constraint exceptions_hash check (recipient_hash <> '') not valid;
alter table unreachable
  add constraint unreachable_hash check (recipient_hash <> '') not valid,
  add constraint unreachable_channel check (channel in ('sms', 'whatsapp', 'telegram', 'email')) not valid;
alter table webhook_endpoints
  add constraint webhook_endpoints_secret check (secret <> '' and previous_secret <> '') not valid,
  add constraint webhook_endpoints_failures check (failures >= 0) not valid;
alter table companies add constraint companies_erased check (erased_at is null or closed_at is not null) not valid;
alter table apps
  add constraint apps_settings check (jsonb_typeof(settings) = 'object' and jsonb_typeof(rules) = 'array') not valid;
alter table rule_revisions add constraint rule_revisions_rules check (jsonb_typeof(rules) = 'array') not valid;
alter table providers
  add constraint providers_channel check (channel in ('sms', 'whatsapp', 'telegram', 'email')) not valid,
  add constraint providers_settings check (jsonb_typeof(settings) = 'object' and jsonb_typeof(costs) = 'object') not valid;
alter table decisions add constraint decisions_rules check (json_typeof(rules) = 'array') not valid;
alter table audit_chains add constraint audit_chains_anchor check (anchor_position between 0 and position) not valid;

-- What is over stays over. No constraint sees the row before a change, so these are triggers. They run after the change,
-- since a trigger before it locks the row once more, and their conditions are evaluated without a call. On the tables that
-- every verification updates, the conditions name only what decides.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of %', tg_argv[0], tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

create trigger verifications_stay after update on verifications for each row
  when (old.status <> new.status and old.status <> 'pending' or new.attempts < old.attempts or new.sends < old.sends)
  execute function refuse_change('a step back');
create trigger deliveries_stay after update on deliveries for each row
  when (old.status <> new.status and (old.status in ('delivered', 'failed') or new.status = 'queued'))
  execute function refuse_change('a step back');
create trigger tokens_stay after update on tokens for each row
  when (new.exchanged_by is distinct from old.exchanged_by and old.exchanged_by is not null or new.otp_id <> old.otp_id)
  execute function refuse_change('a second exchange');
create trigger idempotency_keys_stay after update on idempotency_keys for each row
  when (old.expires_at > clock_timestamp() and new.answer <> old.answer)
  execute function refuse_change('another answer');
create trigger change_replays_stay after update on change_replays for each row
  when (old.expires_at > clock_timestamp() and old.answer <> '' and new.answer <> old.answer)
  execute function refuse_change('another answer');
create trigger keys_stay after update on keys for each row
  when (old.revoked_at is not null and new.revoked_at is null or new.kind <> old.kind or new.key_hash <> old.key_hash)
  execute function refuse_change('a key that comes back or changes');
create trigger companies_stay after update on companies for each row
  when (old.closed_at is not null and new.closed_at is null or old.erased_at is not null and new.erased_at is null)
  execute function refuse_change('a company that comes back');
create trigger apps_stay after update on apps for each row
  when (old.deleted_at is not null and new.deleted_at is null)
  execute function refuse_change('an app that comes back');
create trigger ledger_stays before update on ledger for each statement execute function refuse_change('a changed entry');
create trigger rule_revisions_stay before update on rule_revisions for each statement
  execute function refuse_change('a changed entry');
create trigger audit_entries_stay before update on audit_entries for each statement
  execute function refuse_change('a changed entry');
create trigger audit_entries_expire after delete on audit_entries for each row
  when (old.expires_at > clock_timestamp()) execute function refuse_change('an entry too young to go');
create trigger audit_chains_grow after update on audit_chains for each row
  when (new.position < old.position or new.anchor_position < old.anchor_position)
  execute function refuse_change('a step back');
create trigger audit_chains_stay before delete on audit_chains for each statement
  execute function refuse_change('a deleted chain');
create trigger data_keys_stay before delete on data_keys for each statement
  execute function refuse_change('a deleted key');

-- A company that had an owner keeps one until it is closed.
create function refuse_ownerless() returns trigger language plpgsql as $$
begin
  -- Locked, so that of two owners who leave at once the second is refused. Nobody is waited for: whoever leaves has locked
  -- an owner who stays, and an owner whom somebody else has locked since may be leaving too, and be waiting for this.
  perform 1 from members where company_id = old.company_id and role = 'owner' for share skip locked;
  if not found and exists (select 1 from companies where company_id = old.company_id and closed_at is null) then
    raise exception 'the last owner of a company' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger members_keep_an_owner after delete on members for each row
  when (old.role = 'owner') execute function refuse_ownerless();
create trigger members_still_have_an_owner after update on members for each row
  when (old.role = 'owner' and new.role <> 'owner') execute function refuse_ownerless();
