/** Made by scripts/write-management.ts from the contract: do not edit. */

type Shape1 = { "recipient": ({ "max": number; "window_s": number })[]; "recipient_failures": ({ "max": number; "window_s": number })[]; "ip": ({ "max": number; "window_s": number })[]; "flagged_ip": ({ "max": number; "window_s": number })[]; "app": ({ "max": number; "window_s": number })[]; "app_without_ip": ({ "max": number; "window_s": number })[] }
type Shape2 = { "routing": { "default": ("sms" | "whatsapp" | "telegram" | "email")[]; "countries": Record<string, ("sms" | "whatsapp" | "telegram" | "email")[]> }; "channels": { "sms": { "enabled": boolean }; "whatsapp": { "enabled": boolean; "mode": "template" | "link_code" | "link_inbound" }; "telegram": { "enabled": boolean }; "email": { "enabled": boolean } }; "geo": { "mode": "block" | "allow"; "countries": (string)[] }; "limits": Shape1; "pumping": { "mode": "off" | "monitor" | "auto" | "enforce"; "declared_countries": (string)[]; "declared_conversion": number | null; "learning_budget": string | null; "safe_prefixes": (string)[] }; "spend_caps": { "day_by_country": { "default": string; "countries": Record<string, string> }; "hour_unverified": string }; "number_check": "e164" | "possible" | "valid"; "disposable_email": "limit" | "refuse" | "allow"; "code_length": number; "code_ttl_s": number; "max_verify_attempts": number; "max_sends": number; "resend_cooldown_s": number; "token_ttl_s": number; "default_locale": string; "messages": { "sms": Record<string, { "text": string }>; "whatsapp": Record<string, { "text": string }>; "email": Record<string, { "text": string; "subject": string; "html"?: string }> }; "autofill": { "web_domain"?: string; "android_hash"?: string }; "proof": { "enabled": boolean; "audience": string | null }; "app_id": string; "company_id": string; "name": string; "created_at": string; "twilio_service_sid": string; "twilio_account_sid": string; "paused_at": string | null }
type Shape3 = { "block_id": string; "level": "r100" | "r1k" | "r10k" | "carrier" | "country" | "known_carrier" | "known_country" | "ip"; "place": string; "kind": "hold" | "block"; "numbers": number; "approved": number; "times": number; "started_at": string; "until": string }
type Shape4 = { "host": string; "port": number; "system_id": string; "source_addr": string; "tls": boolean; "system_type": string; "window": number; "enquire_link_s": number; "source_ton"?: number; "source_npi"?: number; "tls_ca"?: string }
type Shape5 = { "status": "up" | "connecting" | "failing" | "unknown"; "since": string | null; "last_error": { "code": string; "message": string; "at": string } | null; "sent_1h": number; "failed_1h": number; "delivered_1h": number; "seconds_to_accept": number | null; "seconds_to_deliver": number | null }
type Shape6 = { "provider_id": string; "company_id": string | null; "channel": "sms"; "kind": "smpp"; "name": string | null; "settings": Shape4; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape7 = { "provider_id": string; "company_id": string | null; "channel": "sms"; "kind": "twilio"; "name": string | null; "settings": { "account_sid": string; "from"?: string; "messaging_service_sid"?: string; "api_key_sid"?: string; "base_url": string }; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape8 = { "preset"?: "africastalking" | "bird" | "infobip" | "messagebird" | "msg91" | "plivo" | "sinch" | "smsgate" | "sns" | "telnyx" | "vonage" | "simulator"; "base_url"?: string; "path"?: string; "method"?: "POST" | "GET" | "PUT"; "auth"?: "none" | "basic" | "bearer" | "header" | "query" | "body" | "aws"; "auth_name"?: string; "auth_prefix"?: string; "user"?: string; "account"?: string; "from"?: string; "headers"?: Record<string, string>; "body_type"?: "json" | "form" | "xml" | "none"; "body"?: string; "when_unicode"?: string; "when_plain"?: string; "shortest_ttl_s"?: number; "region"?: string; "message_id_at"?: (string)[]; "code_at"?: (string)[]; "codes"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "texts"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "statuses"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "error_at"?: (string)[]; "receipts"?: "none" | "path" | "hmac" | "addresses"; "receipt_header"?: string; "receipt_algorithm"?: "sha256" | "sha1" | "sha512"; "receipt_encoding"?: "hex" | "base64"; "receipt_prefix"?: string; "receipt_signed"?: "{body}" | "{body}{timestamp}" | "{timestamp}{body}" | "{timestamp}.{body}"; "receipt_timestamp_header"?: string; "receipt_addresses"?: (string)[]; "receipt_list"?: string; "receipt_id_at"?: (string)[]; "receipt_delivery_at"?: (string)[]; "receipt_state_at"?: (string)[]; "receipt_states"?: Record<string, "delivered" | "failed" | "unreachable" | "ignored">; "receipt_error_at"?: (string)[]; "receipt_errors"?: Record<string, "failed" | "unreachable"> }
type Shape9 = { "provider_id": string; "company_id": string | null; "channel": "sms"; "kind": "http"; "name": string | null; "settings": Shape8; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape10 = { "provider_id": string; "company_id": string | null; "channel": "whatsapp"; "kind": "whatsapp"; "name": string | null; "settings": { "phone_number_id": string; "number": string; "template_name": string; "template_languages"?: Record<string, string>; "base_url": string }; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape11 = { "provider_id": string; "company_id": string | null; "channel": "telegram"; "kind": "telegram"; "name": string | null; "settings": { "sender_username"?: string; "base_url": string }; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape12 = { "host": string; "port": number; "user"?: string; "from": string; "secure"?: boolean; "require_tls"?: boolean; "return_path_domain"?: string; "dkim_domain"?: string; "dkim_selector"?: string; "tls_ca"?: string }
type Shape13 = { "provider_id": string; "company_id": string | null; "channel": "email"; "kind": "smtp"; "name": string | null; "settings": Shape12; "credentials_set": (string)[]; "destination": { "settings": (string)[]; "credentials": (string)[] }; "countries": (string)[] | null; "priority": number; "enabled": boolean; "state": Shape5; "callback_url": string | null; "created_at": string }
type Shape14 = { "endpoint_id": string; "url": string; "status": "active" | "paused"; "paused_at": string | null; "reason": string | null; "held": number; "types": ("otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed")[] | null; "created_at": string }
type Shape15 = { "endpoint_id": string; "url": string; "status": "active" | "paused"; "paused_at": string | null; "reason": string | null; "held": number; "types": ("otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed")[] | null; "created_at": string; "signing_secret": string | null }
type Shape16 = { "country"?: (string)[]; "channel"?: ("sms" | "whatsapp" | "telegram" | "email")[]; "recipient_type"?: ("phone" | "email")[]; "email_domain"?: (string)[]; "prefix"?: (string)[]; "ip_class"?: ("abusive" | "tor" | "proxy" | "vpn" | "hosting" | "relay" | "unlisted" | "none")[]; "key_kind"?: ("server" | "publishable")[]; "known"?: boolean | (boolean)[]; "sends_of_recipient"?: { "gte"?: number; "lte"?: number; "window_s": number }; "sends_of_address"?: { "gte"?: number; "lte"?: number; "window_s": number }; "sends_of_app"?: { "gte"?: number; "lte"?: number; "window_s": number }; "price"?: { "gte"?: string; "lte"?: string }; "hour"?: { "gte"?: number; "lte"?: number } }
type Shape17 = { "action": "refuse" } | { "action": "hold"; "minutes": number } | { "action": "channels"; "channels": ("sms" | "whatsapp" | "telegram" | "email")[] } | { "action": "link" } | { "action": "limit"; "max": number; "window_s": number } | { "action": "pass" }
type Shape18 = { "limit"?: number; "cursor"?: string; "otp_id"?: string; "recipient"?: string; "status"?: "pending" | "approved" | "failed" | "expired"; "channel"?: "sms" | "whatsapp" | "telegram" | "email"; "country"?: string; "problem"?: "failed_delivery" | "error"; "error_code"?: string; "from"?: string; "to"?: string }
type Shape19 = { "otp_id": string; "status": "pending" | "approved" | "failed" | "expired"; "channel": "sms" | "whatsapp" | "telegram" | "email"; "masked_recipient": string; "recipient_type": "phone" | "email"; "country": string | null; "sends": number; "attempts": number; "delivery_status": "queued" | "sent" | "delivered" | "failed" | null; "created_at": string; "verified_at": string | null }
type Shape20 = { "delivery_id": string; "channel": "sms" | "whatsapp" | "telegram" | "email"; "status": "queued" | "sent" | "delivered" | "failed"; "created_at": string; "updated_at": string; "attempts": number; "error": { "code": string; "message": string } | null; "provider": { "provider_id": string; "kind": string | null; "name": string | null; "owner": "company" | "operator" | "simulator" | null }; "price": string; "charge": "reserved" | "captured" | "returned"; "sent_at": string | null; "segments": number | null; "text": string | null }
type Shape21 = { "rule": "recipient"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "because": "phone"; "country": string } | { "because": "email" } | { "because": "disposable_email"; "treatment": "limit" | "refuse" | "allow" } | { "because": "invalid" } }
type Shape22 = { "rule": "geo"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "because": "no_country" } | { "because": "allowed"; "country": string } | { "because": "blocked"; "country": string } }
type Shape23 = { "because": "no_client_ip" } | { "because": "unlisted" } | { "because": "listed"; "class": "abusive" | "tor" | "proxy" | "vpn" | "hosting" | "relay"; "is_stale": boolean; "excuse"?: "own_rule" | "exception" }
type Shape24 = { "rule_id": string; "name": string; "action": "channels"; "effect": "reroute" | "refuse" | "none"; "channels": ("sms" | "whatsapp" | "telegram" | "email")[]; "channel": "sms" | "whatsapp" | "telegram" | "email" | null }
type Shape25 = { "rule_id": string; "name": string; "action": "refuse"; "effect": "refuse" } | { "rule_id": string; "name": string; "action": "hold"; "effect": "hold" | "none"; "minutes": number; "retry_after": number } | Shape24 | { "rule_id": string; "name": string; "action": "link"; "effect": "reroute" | "refuse" | "none"; "channel": "sms" | "whatsapp" | "telegram" | "email" | null } | { "rule_id": string; "name": string; "action": "limit"; "effect": "refuse" | "none"; "max": number; "window_s": number; "retry_after": number } | { "rule_id": string; "name": string; "action": "pass"; "effect": "pass" }
type Shape26 = { "because": "chosen"; "channel": "sms" | "whatsapp" | "telegram" | "email"; "as": "message" | "link" | "same_link"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "left_out": ({ "channel": "sms" | "whatsapp" | "telegram" | "email"; "because": "not_enabled" | "not_to_phones" | "not_to_emails" | "fixed_line" | "unreachable" | "no_provider" | "own_rule" })[] }
type Shape27 = { "because": "no_channel"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "left_out": ({ "channel": "sms" | "whatsapp" | "telegram" | "email"; "because": "not_enabled" | "not_to_phones" | "not_to_emails" | "fixed_line" | "unreachable" | "no_provider" | "own_rule" })[] }
type Shape28 = { "because": "no_channel_left"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "left_out": ({ "channel": "sms" | "whatsapp" | "telegram" | "email"; "because": "not_enabled" | "not_to_phones" | "not_to_emails" | "fixed_line" | "unreachable" | "no_provider" | "own_rule" })[] }
type Shape29 = { "because": "no_link"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "left_out": ({ "channel": "sms" | "whatsapp" | "telegram" | "email"; "because": "not_enabled" | "not_to_phones" | "not_to_emails" | "fixed_line" | "unreachable" | "no_provider" | "own_rule" })[] }
type Shape30 = { "because": "channel_not_usable"; "channel": "sms" | "whatsapp" | "telegram" | "email"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "left_out": ({ "channel": "sms" | "whatsapp" | "telegram" | "email"; "because": "not_enabled" | "not_to_phones" | "not_to_emails" | "fixed_line" | "unreachable" | "no_provider" | "own_rule" })[] }
type Shape31 = { "because": "stopped"; "level": "r100" | "r1k" | "r10k" | "carrier" | "country" | "known_carrier" | "known_country" | "ip"; "place": string; "kind": "hold" | "block"; "numbers": number; "approvals": number; "expected"?: number; "owed"?: number; "threshold"?: number; "excuse": "monitored" | "simulated" | "learning" | "own_rule" | "exception" | null; "otherwise": "reroute" | "refuse"; "retry_after": number }
type Shape32 = { "because": "off" } | { "because": "unpaid_channel" } | { "because": "unread" } | { "because": "safe_prefix" } | { "because": "trusted" } | { "because": "scout" } | { "because": "open" } | { "because": "beside" } | { "because": "repeated"; "sends": number; "excuse": "monitored" | "simulated" | "learning" | "own_rule" | "exception" | null; "otherwise": "reroute" | "refuse"; "retry_after": number } | Shape31
type Shape33 = { "rule": "limit.recipient"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scope": "recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip"; "counted": "requests" | "wrong_codes"; "used": number; "max": number; "window_s": number; "retry_after": number } }
type Shape34 = { "rule": "limit.ip"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scope": "recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip"; "counted": "requests" | "wrong_codes"; "used": number; "max": number; "window_s": number; "retry_after": number } }
type Shape35 = { "rule": "limit.flagged_ip"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scope": "recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip"; "counted": "requests" | "wrong_codes"; "used": number; "max": number; "window_s": number; "retry_after": number } }
type Shape36 = { "rule": "limit.app"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scope": "recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip"; "counted": "requests" | "wrong_codes"; "used": number; "max": number; "window_s": number; "retry_after": number } }
type Shape37 = { "rule": "limit.app_without_ip"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scope": "recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip"; "counted": "requests" | "wrong_codes"; "used": number; "max": number; "window_s": number; "retry_after": number } }
type Shape38 = { "because": "counted"; "country": string | null; "caps": ({ "cap_name": "day_by_country" | "hour_unverified"; "spent": string; "cap": string | null; "source": "set" | "learned" | "off"; "is_over": boolean })[]; "excuse": "simulated" | null }
type Shape39 = { "rule": "balance"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "because": "link" } | { "because": "not_metered" } | { "because": "price"; "price": string; "balance": string } }
type Shape40 = { "rule": "paused"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "since": string } } | Shape21 | Shape22 | { "rule": "ip_reputation"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": Shape23 } | { "rule": "exception"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "kind": "blocked" | "allowed" } } | { "rule": "own_rule"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": Shape25 } | { "rule": "routing"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": Shape26 | Shape27 | Shape28 | Shape29 | Shape30 } | { "rule": "pumping"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": Shape32 } | { "rule": "limits"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "scopes": ("recipient" | "ip" | "flagged_ip" | "app" | "app_without_ip")[] } } | Shape33 | Shape34 | Shape35 | Shape36 | Shape37 | { "rule": "spend"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "because": "link" } | { "because": "free" } | { "because": "unread" } | Shape38 } | Shape39 | { "rule": "pending"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "otp_status": "pending" | "approved" | "failed" | "expired" } } | { "rule": "cooldown"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "retry_after": number } } | { "rule": "send_attempts"; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": { "because": "same_link" } | { "because": "counted"; "used": number; "max": number } }
type Shape41 = { "id": string; "type": "otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed"; "status": "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "created_at": string }
type Shape42 = { "at": string; "kind": "started" | "resent" | "refused" | "queued" | "taken_over" | "sent" | "delivered" | "delivery_failed" | "wrong_code" | "approved" | "failed" | "cancelled" | "expired" | "event"; "text": string; "channel": "sms" | "whatsapp" | "telegram" | "email" | null; "delivery_id": string | null; "event_id": string | null }
type Shape43 = { "otp_id": string; "status": "pending" | "approved" | "failed" | "expired"; "channel": "sms" | "whatsapp" | "telegram" | "email"; "masked_recipient": string; "action_url": string | null; "completion": "code" | "inbound"; "resend_available_at": string | null; "expires_at": string; "recipient_type": "phone" | "email"; "created_at": string; "verified_at": string | null; "attempts_remaining": number; "sends_remaining": number; "deliveries": (Shape20)[]; "exception": { "exception_id": string; "kind": "blocked" | "allowed"; "masked_recipient": string; "created_at": string; "created_by": string | null; "expires_at": string | null } | null; "app_id": string; "country": string | null; "locale": string; "client_ip": string | null; "cancelled_at": string | null; "cost": string; "decisions": ({ "kind": "send" | "resend"; "at": string; "rules": (Shape40 | { "rule": string; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": null })[] })[]; "events": (Shape41)[]; "timeline": (Shape42)[] }
type Shape44 = { "audit_id": string; "at": string; "actor": { "kind": "person" | "token" | "command_line" | "stranger"; "person_id": string | null; "email": string | null }; "action": string; "company_id": string | null; "app_id": string | null; "subject": string | null; "changes": Record<string, unknown>; "outcome": "done" | "refused" | "unknown"; "error_type": string | null; "is_certain": boolean; "address": string | null; "request_id": string }
type Shape45 = { "rule": "low_balance" | "failing_provider" | "conversion_drop" | "pumping_blocks" | "pumping_learning" | "pumping_misfit" | "wrong_codes" | "webhook_paused" | "spend_cap" | "no_messages_delivered" | "ip_source" | "partitions_short"; "subject": string; "severity": "warning" | "critical"; "message": string; "since": string }
type Shape46 = { "channels": ({ "kind": "email" | "webhook" | "slack"; "to": string; "quiet_hours": { "from": string; "to": string; "time_zone": string } | null })[]; "rules": Record<string, { "enabled": boolean; "threshold": number | null }>; "signing_secret": string | null; "active": (Shape45)[] }
type Shape47 = { "kind": "email"; "to": string; "quiet_hours"?: { "from": string; "to": string; "time_zone"?: string } | null } | { "kind": "webhook"; "to": string; "quiet_hours"?: { "from": string; "to": string; "time_zone"?: string } | null } | { "kind": "slack"; "to": string; "quiet_hours"?: { "from": string; "to": string; "time_zone"?: string } | null }

/** What each operation takes and answers, in the names of the API. */
export interface ManagementOperations {
  /** Create a company */
  createCompany: { request: { body: { "name": string; "balance"?: string; "metered"?: boolean } }; answer: { "company_id": string; "name": string; "balance": string; "metered": boolean; "created_at": string; "closed_at": string | null } }
  /** The companies that the caller may see, by name */
  listCompanies: { request: { query?: { "limit"?: number; "cursor"?: string; "closed"?: "true" | "false"; "search"?: string } }; answer: { "companies": ({ "company_id": string; "name": string; "balance": string; "metered": boolean; "created_at": string; "closed_at": string | null })[]; "next_cursor": string | null } }
  /** Rename a company; `metered` is the operator’s to change */
  updateCompany: { request: { params: { company_id: string }; body: { "name"?: string; "metered"?: boolean } }; answer: { "company_id": string; "name": string; "balance": string; "metered": boolean; "created_at": string; "closed_at": string | null } }
  /** Close a company: its apps, accounts and members go, its ledger stays as one sum */
  closeCompany: { request: { params: { company_id: string } }; answer: { "company_id": string; "closed_at": string } }
  /** The apps of a company, oldest first */
  listApps: { request: { params: { company_id: string }; query?: { "limit"?: number; "cursor"?: string } }; answer: { "apps": ({ "app_id": string; "name": string; "created_at": string; "paused_at": string | null })[]; "next_cursor": string | null } }
  /** A company and its balance */
  getCompany: { request: { params: { company_id: string } }; answer: { "company_id": string; "name": string; "balance": string; "metered": boolean; "created_at": string; "closed_at": string | null } }
  /** Add to the balance */
  creditCompany: { request: { params: { company_id: string }; body: { "amount": string; "note"?: string } }; answer: { "balance": string } }
  /** The record of money, newest first */
  listLedger: { request: { params: { company_id: string }; query?: { "limit"?: number; "cursor"?: string } }; answer: { "entries": ({ "entry_id": string; "kind": "credit" | "reserve" | "capture" | "return" | "carried"; "amount": string; "otp_id": string | null; "note": string | null; "created_at": string })[]; "next_cursor": string | null } }
  /** What the company has spent lately, over all its apps */
  getCompanySpend: { request: { params: { company_id: string } }; answer: { "days": number; "spent": string; "since": string; "per_day": string; "days_left": number | null; "by_day": ({ "day": string; "spent": string })[] } }
  /** Forget one recipient everywhere in the company, at once */
  eraseRecipient: { request: { params: { company_id: string }; body: { "recipient": string; "country"?: string | null } }; answer: { "verifications": number } }
  /** The price book */
  getPrices: { request: Record<string, never>; answer: { "currency": string; "default": { "sms": string; "whatsapp": string; "telegram": string; "email": string; "whatsapp_reply": string }; "countries": Record<string, Record<string, string>> } }
  /** Replace the price book */
  putPrices: { request: { body: { "currency": string; "default": { "sms": string; "whatsapp": string; "telegram": string; "email": string; "whatsapp_reply"?: string }; "countries"?: Record<string, Record<string, string>> } }; answer: { "currency": string; "default": { "sms": string; "whatsapp": string; "telegram": string; "email": string; "whatsapp_reply": string }; "countries": Record<string, Record<string, string>> } }
  /** Create an app */
  createApp: { request: { params: { company_id: string }; body: { "name": string; "routing"?: { "default"?: ("sms" | "whatsapp" | "telegram" | "email")[]; "countries"?: Record<string, ("sms" | "whatsapp" | "telegram" | "email")[]> } | null; "channels"?: { "sms"?: { "enabled"?: boolean }; "whatsapp"?: { "enabled"?: boolean; "mode"?: "template" | "link_code" | "link_inbound" }; "telegram"?: { "enabled"?: boolean }; "email"?: { "enabled"?: boolean } } | null; "geo"?: { "mode"?: "block" | "allow"; "countries"?: (string)[] } | null; "limits"?: { "recipient"?: ({ "max": number; "window_s": number })[]; "recipient_failures"?: ({ "max": number; "window_s": number })[]; "ip"?: ({ "max": number; "window_s": number })[]; "flagged_ip"?: ({ "max": number; "window_s": number })[]; "app"?: ({ "max": number; "window_s": number })[]; "app_without_ip"?: ({ "max": number; "window_s": number })[] } | null; "pumping"?: { "mode"?: "off" | "monitor" | "auto" | "enforce"; "declared_countries"?: (string)[]; "declared_conversion"?: number | null; "learning_budget"?: string | null; "safe_prefixes"?: (string)[] } | null; "spend_caps"?: { "day_by_country"?: { "default"?: string; "countries"?: Record<string, string> }; "hour_unverified"?: string } | null; "number_check"?: "e164" | "possible" | "valid" | null; "disposable_email"?: "limit" | "refuse" | "allow" | null; "code_length"?: number | null; "code_ttl_s"?: number | null; "max_verify_attempts"?: number | null; "max_sends"?: number | null; "resend_cooldown_s"?: number | null; "token_ttl_s"?: number | null; "default_locale"?: string | null; "messages"?: { "sms"?: Record<string, { "text": string }>; "whatsapp"?: Record<string, { "text": string }>; "email"?: Record<string, { "text": string; "subject": string; "html"?: string }> } | null; "autofill"?: { "web_domain"?: string; "android_hash"?: string } | null; "proof"?: { "enabled"?: boolean; "audience"?: string | null } | null } }; answer: Shape2 }
  /** An app and its settings */
  getApp: { request: { params: { app_id: string } }; answer: Shape2 }
  /** Change settings: objects merge, lists replace, null restores a default */
  updateApp: { request: { params: { app_id: string }; body: { "name"?: string; "routing"?: { "default"?: ("sms" | "whatsapp" | "telegram" | "email")[] | null; "countries"?: Record<string, ("sms" | "whatsapp" | "telegram" | "email")[] | null> | null } | null; "channels"?: { "sms"?: { "enabled"?: boolean | null } | null; "whatsapp"?: { "enabled"?: boolean | null; "mode"?: "template" | "link_code" | "link_inbound" | null } | null; "telegram"?: { "enabled"?: boolean | null } | null; "email"?: { "enabled"?: boolean | null } | null } | null; "geo"?: { "mode"?: "block" | "allow" | null; "countries"?: (string)[] | null } | null; "limits"?: { "recipient"?: ({ "max": number; "window_s": number })[] | null; "recipient_failures"?: ({ "max": number; "window_s": number })[] | null; "ip"?: ({ "max": number; "window_s": number })[] | null; "flagged_ip"?: ({ "max": number; "window_s": number })[] | null; "app"?: ({ "max": number; "window_s": number })[] | null; "app_without_ip"?: ({ "max": number; "window_s": number })[] | null } | null; "pumping"?: { "mode"?: "off" | "monitor" | "auto" | "enforce" | null; "declared_countries"?: (string)[] | null; "declared_conversion"?: number | null; "learning_budget"?: string | null; "safe_prefixes"?: (string)[] | null } | null; "spend_caps"?: { "day_by_country"?: { "default"?: string | null; "countries"?: Record<string, string | null> | null } | null; "hour_unverified"?: string | null } | null; "number_check"?: "e164" | "possible" | "valid" | null; "disposable_email"?: "limit" | "refuse" | "allow" | null; "code_length"?: number | null; "code_ttl_s"?: number | null; "max_verify_attempts"?: number | null; "max_sends"?: number | null; "resend_cooldown_s"?: number | null; "token_ttl_s"?: number | null; "default_locale"?: string | null; "messages"?: { "sms"?: Record<string, { "text"?: string | null } | null> | null; "whatsapp"?: Record<string, { "text"?: string | null } | null> | null; "email"?: Record<string, { "text"?: string | null; "subject"?: string | null; "html"?: string | null } | null> | null } | null; "autofill"?: { "web_domain"?: string | null; "android_hash"?: string | null } | null; "proof"?: { "enabled"?: boolean | null; "audience"?: string | null } | null } }; answer: Shape2 }
  /** Refuse every new send of an app; what is pending goes on */
  pauseApp: { request: { params: { app_id: string } }; answer: Shape2 }
  /** Let an app send again */
  resumeApp: { request: { params: { app_id: string } }; answer: Shape2 }
  /** Delete an app: its keys stop within a second, what it has is erased in the minutes after */
  deleteApp: { request: { params: { app_id: string } }; answer: { "app_id": string } }
  /** Create a key; it is shown once */
  createKey: { request: { params: { app_id: string }; body: { "kind": "server" | "publishable"; "name"?: string } }; answer: { "key_id": string; "kind": "server" | "publishable"; "name": string | null; "key": string } }
  /** The keys of an app, oldest first */
  listKeys: { request: { params: { app_id: string }; query?: { "limit"?: number; "cursor"?: string; "state"?: "live" | "revoked" } }; answer: { "keys": ({ "key_id": string; "kind": "server" | "publishable"; "name": string | null; "created_at": string; "starts_with": string; "ends_with": string; "last_used_at": string | null; "calls_24h": number; "errors_24h": number; "revoked_at": string | null })[]; "next_cursor": string | null } }
  /** Revoke a key, on every node within a second */
  revokeKey: { request: { params: { key_id: string } }; answer: { "key_id": string; "revoked_at": string } }
  /** What the guard against pumping holds back now, with its evidence */
  listBlocks: { request: { params: { app_id: string } }; answer: { "blocks": (Shape3)[] } }
  /** Lift a block for a day; its debt is forgiven */
  liftBlock: { request: { params: { app_id: string; block_id: string } }; answer: Shape3 }
  /** What an app has spent today by country and in this hour, and its caps */
  getSpend: { request: { params: { app_id: string } }; answer: { "currency": string; "day": { "since": string; "until": string; "countries": ({ "country": string | null; "spent": string; "approved": string; "cap": string | null; "source": "set" | "learned" | "off" })[] }; "hour": { "since": string; "until": string; "spent": string; "approved": string; "unverified": string; "cap": string | null; "source": "set" | "learned" | "off" } } }
  /** The share of wrong codes in the last hour, what is usual, and whether that is an alarm */
  getGuessing: { request: { params: { app_id: string } }; answer: { "window_s": number; "guesses": number; "failures": number; "ratio": number | null; "usual_ratio": number; "alarm_ratio": number; "alarm_failures": number; "alarmed_since": string | null; "alarmed_until": string | null } }
  /** What a text of the app’s own would be like, before it is saved */
  lintMessage: { request: { params: { app_id: string }; body: { "channel": "sms" | "whatsapp" | "email"; "locale": string; "template"?: { "text": string; "subject"?: string; "html"?: string } } }; answer: { "ok": boolean; "encoding": "gsm7" | "ucs2" | null; "segments": number | null; "units": number | null; "price": string; "rendered": { "subject": string | null; "text": string; "html": string | null }; "problems": ({ "level": "error" | "warning"; "path": string; "message": string })[] } }
  /** Provider accounts, without their credentials */
  listProviders: { request: { query?: { "company_id"?: string } }; answer: { "providers": (Shape6 | Shape7 | Shape9 | Shape10 | Shape11 | Shape13)[] } }
  /** Add a provider account; in force everywhere within a second */
  createProvider: { request: { body: { "company_id"?: string | null; "channel": "sms"; "kind": "smpp"; "settings": { "host": string; "port"?: number; "system_id": string; "password": string; "source_addr": string; "tls"?: boolean; "system_type"?: string; "window"?: number; "enquire_link_s"?: number; "source_ton"?: number; "source_npi"?: number; "tls_ca"?: string }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } | { "company_id"?: string | null; "channel": "sms"; "kind": "twilio"; "settings": { "account_sid": string; "auth_token": string; "from"?: string; "messaging_service_sid"?: string; "api_key_sid"?: string; "api_key_secret"?: string; "base_url"?: string }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } | { "company_id"?: string | null; "channel": "sms"; "kind": "http"; "settings": { "preset"?: "africastalking" | "bird" | "infobip" | "messagebird" | "msg91" | "plivo" | "sinch" | "smsgate" | "sns" | "telnyx" | "vonage" | "simulator"; "base_url"?: string; "path"?: string; "method"?: "POST" | "GET" | "PUT"; "auth"?: "none" | "basic" | "bearer" | "header" | "query" | "body" | "aws"; "auth_name"?: string; "auth_prefix"?: string; "user"?: string; "secret"?: string; "account"?: string; "from"?: string; "headers"?: Record<string, string>; "body_type"?: "json" | "form" | "xml" | "none"; "body"?: string; "when_unicode"?: string; "when_plain"?: string; "shortest_ttl_s"?: number; "region"?: string; "message_id_at"?: (string)[]; "code_at"?: (string)[]; "codes"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "texts"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "statuses"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain">; "error_at"?: (string)[]; "receipts"?: "none" | "path" | "hmac" | "addresses"; "receipt_secret"?: string; "receipt_header"?: string; "receipt_algorithm"?: "sha256" | "sha1" | "sha512"; "receipt_encoding"?: "hex" | "base64"; "receipt_prefix"?: string; "receipt_signed"?: "{body}" | "{body}{timestamp}" | "{timestamp}{body}" | "{timestamp}.{body}"; "receipt_timestamp_header"?: string; "receipt_addresses"?: (string)[]; "receipt_list"?: string; "receipt_id_at"?: (string)[]; "receipt_delivery_at"?: (string)[]; "receipt_state_at"?: (string)[]; "receipt_states"?: Record<string, "delivered" | "failed" | "unreachable" | "ignored">; "receipt_error_at"?: (string)[]; "receipt_errors"?: Record<string, "failed" | "unreachable"> }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } | { "company_id"?: string | null; "channel": "whatsapp"; "kind": "whatsapp"; "settings": { "phone_number_id": string; "number": string; "access_token": string; "app_secret": string; "verify_token": string; "template_name": string; "template_languages"?: Record<string, string>; "base_url"?: string }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } | { "company_id"?: string | null; "channel": "telegram"; "kind": "telegram"; "settings": { "token": string; "sender_username"?: string; "base_url"?: string }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } | { "company_id"?: string | null; "channel": "email"; "kind": "smtp"; "settings": { "host": string; "port"?: number; "user"?: string; "password"?: string; "from": string; "secure"?: boolean; "require_tls"?: boolean; "return_path_domain"?: string; "return_path_secret"?: string; "dkim_domain"?: string; "dkim_selector"?: string; "dkim_private_key"?: string; "tls_ca"?: string }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } }; answer: Shape6 | Shape7 | Shape9 | Shape10 | Shape11 | Shape13 }
  /** Change a provider account: settings merge, null takes one away */
  updateProvider: { request: { params: { provider_id: string }; body: { "settings"?: { "host"?: string; "port"?: number | null; "system_id"?: string; "password"?: string; "source_addr"?: string; "tls"?: boolean | null; "system_type"?: string | null; "window"?: number | null; "enquire_link_s"?: number | null; "source_ton"?: number | null; "source_npi"?: number | null; "tls_ca"?: string | null } | { "account_sid"?: string; "auth_token"?: string; "from"?: string | null; "messaging_service_sid"?: string | null; "api_key_sid"?: string | null; "api_key_secret"?: string | null; "base_url"?: string | null } | { "preset"?: "africastalking" | "bird" | "infobip" | "messagebird" | "msg91" | "plivo" | "sinch" | "smsgate" | "sns" | "telnyx" | "vonage" | "simulator" | null; "base_url"?: string | null; "path"?: string | null; "method"?: "POST" | "GET" | "PUT" | null; "auth"?: "none" | "basic" | "bearer" | "header" | "query" | "body" | "aws" | null; "auth_name"?: string | null; "auth_prefix"?: string | null; "user"?: string | null; "secret"?: string | null; "account"?: string | null; "from"?: string | null; "headers"?: Record<string, string> | null; "body_type"?: "json" | "form" | "xml" | "none" | null; "body"?: string | null; "when_unicode"?: string | null; "when_plain"?: string | null; "shortest_ttl_s"?: number | null; "region"?: string | null; "message_id_at"?: (string)[] | null; "code_at"?: (string)[] | null; "codes"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain"> | null; "texts"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain"> | null; "statuses"?: Record<string, "accepted" | "refused" | "unreachable" | "retry" | "busy" | "broken" | "uncertain"> | null; "error_at"?: (string)[] | null; "receipts"?: "none" | "path" | "hmac" | "addresses" | null; "receipt_secret"?: string | null; "receipt_header"?: string | null; "receipt_algorithm"?: "sha256" | "sha1" | "sha512" | null; "receipt_encoding"?: "hex" | "base64" | null; "receipt_prefix"?: string | null; "receipt_signed"?: "{body}" | "{body}{timestamp}" | "{timestamp}{body}" | "{timestamp}.{body}" | null; "receipt_timestamp_header"?: string | null; "receipt_addresses"?: (string)[] | null; "receipt_list"?: string | null; "receipt_id_at"?: (string)[] | null; "receipt_delivery_at"?: (string)[] | null; "receipt_state_at"?: (string)[] | null; "receipt_states"?: Record<string, "delivered" | "failed" | "unreachable" | "ignored"> | null; "receipt_error_at"?: (string)[] | null; "receipt_errors"?: Record<string, "failed" | "unreachable"> | null } | { "phone_number_id"?: string; "number"?: string; "access_token"?: string; "app_secret"?: string; "verify_token"?: string; "template_name"?: string; "template_languages"?: Record<string, string> | null; "base_url"?: string | null } | { "token"?: string; "sender_username"?: string | null; "base_url"?: string | null } | { "host"?: string; "port"?: number | null; "user"?: string | null; "password"?: string | null; "from"?: string; "secure"?: boolean | null; "require_tls"?: boolean | null; "return_path_domain"?: string | null; "return_path_secret"?: string | null; "dkim_domain"?: string | null; "dkim_selector"?: string | null; "dkim_private_key"?: string | null; "tls_ca"?: string | null }; "name"?: string | null; "countries"?: (string)[] | null; "priority"?: number; "enabled"?: boolean } }; answer: Shape6 | Shape7 | Shape9 | Shape10 | Shape11 | Shape13 }
  /** Remove a provider account */
  deleteProvider: { request: { params: { provider_id: string } }; answer: { "provider_id": string } }
  /** Connect to the provider without sending anything, step by step */
  checkProvider: { request: { params: { provider_id: string } }; answer: { "steps": ({ "name": "settings" | "connect" | "send"; "ok": boolean; "detail": string; "ms": number })[] } }
  /** Send one message to a number or address of your own, step by step; ten in ten minutes at most */
  testProvider: { request: { params: { provider_id: string }; body: { "to": string } }; answer: { "steps": ({ "name": "settings" | "connect" | "send"; "ok": boolean; "detail": string; "ms": number })[]; "message_id": string | null } }
  /** The request that an account of the kind http would send, with credentials masked; nothing is sent */
  dryRunProvider: { request: { params: { provider_id: string }; body: { "to": string; "text": string } }; answer: { "method": string; "url": string; "headers": Record<string, string>; "body": string | null } }
  /** The webhook endpoints, oldest first */
  listWebhooks: { request: { params: { app_id: string } }; answer: { "webhooks": (Shape14)[] } }
  /** Add a webhook endpoint; its secret is shown once */
  createWebhook: { request: { params: { app_id: string }; body: { "url": string; "types"?: ("otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed")[] | null; "signing_secret"?: string } }; answer: Shape15 }
  /** A webhook endpoint and whether it is paused */
  getEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: Shape14 }
  /** Change address, types or secret of a webhook endpoint */
  updateEndpoint: { request: { params: { app_id: string; endpoint_id: string }; body: { "url"?: string; "types"?: ("otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed")[] | null; "signing_secret"?: string } }; answer: Shape15 }
  /** Remove a webhook endpoint; what waits for it is not sent */
  deleteEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: { "endpoint_id": string; "url": string } }
  /** Resume a paused endpoint: the oldest event is tried alone first */
  enableEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: Shape14 }
  /** How many events are still to be sent to an endpoint */
  countUnsentOfEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: { "unsent": number } }
  /** A new signing secret; the previous one signs too for a day */
  rotateSecretOfEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: { "signing_secret": string } }
  /** Send one event for a verification that never was */
  testEndpoint: { request: { params: { app_id: string; endpoint_id: string } }; answer: { "event_id": string } }
  /** Set the first webhook endpoint; its secret is shown once */
  putWebhook: { request: { params: { app_id: string }; body: { "url": string; "signing_secret"?: string } }; answer: { "url": string; "status": "active" | "paused"; "paused_at": string | null; "reason": string | null; "held": number; "signing_secret": string | null } }
  /** The first webhook endpoint and whether it is paused */
  getWebhook: { request: { params: { app_id: string } }; answer: { "url": string; "status": "active" | "paused"; "paused_at": string | null; "reason": string | null; "held": number } }
  /** Remove the first webhook endpoint; what waits for it is not sent */
  deleteWebhook: { request: { params: { app_id: string } }; answer: { "url": string } }
  /** Resume the first endpoint: the oldest event is tried alone first */
  enableWebhook: { request: { params: { app_id: string } }; answer: { "url": string; "status": "active" | "paused"; "paused_at": string | null; "reason": string | null; "held": number } }
  /** How many events are still to be sent to the first endpoint */
  countUnsent: { request: { params: { app_id: string } }; answer: { "unsent": number } }
  /** A new signing secret of the first endpoint; the previous one signs too for a day */
  rotateWebhookSecret: { request: { params: { app_id: string } }; answer: { "signing_secret": string } }
  /** Send one event for a verification that never was to the first endpoint */
  testWebhook: { request: { params: { app_id: string } }; answer: { "event_id": string } }
  /** Events with their attempts at all endpoints, newest first */
  listEvents: { request: { params: { app_id: string }; query?: { "limit"?: number; "cursor"?: string; "status"?: "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "type"?: "otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed"; "endpoint_id"?: string; "min_attempts"?: number; "answer"?: "2xx" | "3xx" | "4xx" | "5xx" | "none" } }; answer: { "events": ({ "id": string; "type": "otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed"; "otp_id": string; "delivery_id": string | null; "created_at": string; "status": "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "next_attempt_at": string | null; "test": boolean; "attempts": ({ "at": string; "status": number | null; "latency_ms": number; "answer": string | null; "error": string | null; "endpoint_id": string })[]; "endpoints": ({ "endpoint_id": string; "url": string | null; "status": "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "next_attempt_at": string | null })[] })[]; "next_cursor": string | null } }
  /** One event with body and headers of each attempt */
  getEvent: { request: { params: { event_id: string } }; answer: { "id": string; "type": "otp.approved" | "otp.failed" | "delivery.delivered" | "delivery.failed"; "otp_id": string; "delivery_id": string | null; "created_at": string; "status": "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "next_attempt_at": string | null; "test": boolean; "attempts": ({ "at": string; "status": number | null; "latency_ms": number; "answer": string | null; "error": string | null; "endpoint_id": string; "body": string; "headers": Record<string, string> })[]; "endpoints": ({ "endpoint_id": string; "url": string | null; "status": "waiting" | "held" | "sending" | "delivered" | "failed" | "expired" | "skipped"; "next_attempt_at": string | null })[]; "app_id": string; "body": string } }
  /** Send an event again, same id and bytes, one attempt at once */
  replayEvent: { request: { params: { event_id: string }; query?: { "endpoint_id"?: string } }; answer: { "id": string } }
  /** Send everything again that was given up since a time */
  replayFailed: { request: { params: { app_id: string }; body: { "since": string; "endpoint_id"?: string | null } }; answer: { "replayed": number } }
  /** The app’s own rules, in the order in which they are asked */
  getRules: { request: { params: { app_id: string } }; answer: { "revision": number; "rules": ({ "rule_id": string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[] } }
  /** Replace the app’s own rules, if nobody else has since they were read */
  putRules: { request: { params: { app_id: string }; body: { "revision": number; "rules": ({ "rule_id"?: string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[] } }; answer: { "revision": number; "rules": ({ "rule_id": string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[] } }
  /** What the rules were, who changed them and when, newest first */
  listRuleRevisions: { request: { params: { app_id: string }; query?: { "limit"?: number; "cursor"?: string } }; answer: { "revisions": ({ "revision": number; "created_at": string; "by": { "actor": "person" | "token"; "person_id": string | null; "email": string | null }; "restored_from": number | null; "rules": ({ "rule_id": string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[] })[]; "next_cursor": string | null } }
  /** Put an earlier revision in force, as a new one */
  restoreRuleRevision: { request: { params: { app_id: string; revision: string } }; answer: { "revision": number; "rules": ({ "rule_id": string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[] } }
  /** What rules would have done with the sends of up to 30 days */
  backtestRules: { request: { params: { app_id: string }; body: { "rules": ({ "rule_id"?: string; "name": string; "mode": "off" | "shadow" | "on"; "when": Shape16; "then": Shape17 })[]; "from": string; "to": string; "cursor"?: string } }; answer: { "sends": number; "would_refuse": number; "would_reroute": number; "would_hold": number; "would_pass": number; "approved_among_them": number; "people": number; "cost_saved": string; "unknown": number; "unknown_conditions": (string)[]; "rules": ({ "name": string; "matched": number; "would_refuse": number; "would_reroute": number; "would_hold": number; "would_pass": number; "approved_among_them": number })[]; "examples": ({ "kind": "send" | "resend"; "otp_id": string | null; "at": string; "masked_recipient": string; "country": string | null; "channel": "sms" | "whatsapp" | "telegram" | "email" | null; "rule": string | null; "would": "refuse" | "hold" | "reroute" | "pass"; "is_approved": boolean })[]; "looked_to": string; "complete": boolean; "next_cursor": string | null } }
  /** Verifications, newest first */
  listVerifications: { request: { params: { app_id: string }; query?: Shape18 }; answer: { "verifications": (Shape19)[]; "next_cursor": string | null; "searched_to": string | null } }
  /** The same list, with a recipient that must not stand in an address */
  searchVerifications: { request: { params: { app_id: string }; body: Shape18 }; answer: { "verifications": (Shape19)[]; "next_cursor": string | null; "searched_to": string | null } }
  /** One verification with its timeline and its decisions */
  getVerification: { request: { params: { otp_id: string } }; answer: Shape43 }
  /** Sends and resends that were refused, newest first */
  listRefusals: { request: { params: { app_id: string }; query?: { "limit"?: number; "cursor"?: string; "rule"?: string; "type"?: string; "country"?: string; "from"?: string; "to"?: string } }; answer: { "refusals": ({ "refusal_id": string; "kind": "send" | "resend"; "otp_id": string | null; "error_type": string; "rule": string; "why": string; "facts": Record<string, unknown>; "masked_recipient": string; "country": string | null; "channel": "sms" | "whatsapp" | "telegram" | "email" | null; "key_id": string | null; "client_ip": string | null; "price": string | null; "count": number; "created_at": string })[]; "next_cursor": string | null } }
  /** How many were refused by which rule, and what they would have cost, by hour or day */
  getRefusalStats: { request: { params: { app_id: string }; query?: { "from"?: string; "to"?: string; "by"?: "hour" | "day" } }; answer: { "from": string; "to": string; "by": "hour" | "day"; "total": { "count": number; "price": string }; "rules": ({ "rule": string; "count": number; "price": string })[]; "rows": ({ "starts_at": string; "rule": string; "count": number; "price": string })[] } }
  /** Errors that callers with a key got, newest first: the last hundred of each kind, without bodies */
  listErrors: { request: { params: { app_id: string }; query?: { "limit"?: number; "cursor"?: string; "key_id"?: string; "endpoint"?: string; "type"?: string; "status"?: number; "request_id"?: string } }; answer: { "errors": ({ "error_id": string; "key_id": string; "endpoint": string; "status": number; "type": string; "message": string; "details": Record<string, unknown>; "request_id": string; "created_at": string })[]; "next_cursor": string | null } }
  /** How many errors of each kind callers got, by the hour */
  getErrorStats: { request: { params: { app_id: string }; query?: { "from"?: string; "to"?: string } }; answer: { "from": string; "to": string; "total": number; "kinds": ({ "key_id": string; "endpoint": string; "status": number; "type": string; "count": number; "last_at": string })[]; "hours": ({ "starts_at": string; "status": number; "type": string; "count": number })[] } }
  /** What one person was sent and refused, over all apps of a company */
  searchCompany: { request: { params: { company_id: string }; body: { "recipient": string; "country"?: string | null; "problem"?: "failed_delivery" | "error" | "refusal" | null; "cursor"?: string | null } }; answer: { "verifications": ({ "otp_id": string; "status": "pending" | "approved" | "failed" | "expired"; "channel": "sms" | "whatsapp" | "telegram" | "email"; "masked_recipient": string; "recipient_type": "phone" | "email"; "country": string | null; "sends": number; "attempts": number; "delivery_status": "queued" | "sent" | "delivered" | "failed" | null; "created_at": string; "verified_at": string | null; "app_id": string })[]; "refusals": ({ "refusal_id": string; "kind": "send" | "resend"; "otp_id": string | null; "error_type": string; "rule": string; "why": string; "facts": Record<string, unknown>; "masked_recipient": string; "country": string | null; "channel": "sms" | "whatsapp" | "telegram" | "email" | null; "key_id": string | null; "client_ip": string | null; "price": string | null; "count": number; "created_at": string; "app_id": string })[]; "exception": { "exception_id": string; "kind": "blocked" | "allowed"; "masked_recipient": string; "created_at": string; "created_by": string | null; "expires_at": string | null } | null; "next_cursor": string | null } }
  /** Sends, approvals, conversion, cost and time to approve, by hour, day, channel or country */
  getStats: { request: { params: { app_id: string }; query?: { "from"?: string; "to"?: string; "by"?: "hour" | "day" | "channel" | "country"; "channel"?: "sms" | "whatsapp" | "telegram" | "email"; "country"?: string } }; answer: { "from": string; "to": string; "by": "hour" | "day" | "channel" | "country"; "total": { "sends": number; "messages": number; "delivered": number; "failed": number; "approvals": number; "conversion": number | null; "cost": string; "cost_per_approval": string | null; "seconds_to_approve": { "p50": number; "p95": number } | null }; "rows": ({ "sends": number; "messages": number; "delivered": number; "failed": number; "approvals": number; "conversion": number | null; "cost": string; "cost_per_approval": string | null; "seconds_to_approve": { "p50": number; "p95": number } | null; "key": string })[] } }
  /** Figures by the channel that verifications began on, by provider account, or by error code */
  getWays: { request: { params: { app_id: string }; query?: { "from"?: string; "to"?: string; "by"?: "channel_started" | "provider" | "error" } }; answer: { "from": string; "to": string; "by": "channel_started" | "provider" | "error"; "is_complete": boolean; "rows": ({ "key": string; "provider": { "kind": string; "name": string | null } | null; "sends": number; "messages": number; "delivered": number; "failed": number; "approvals": number; "conversion": number | null; "cost": string; "cost_per_approval": string | null })[] } }
  /** What somebody should look at now */
  getAttention: { request: { params: { app_id: string } }; answer: { "items": ({ "kind": "webhook_paused" | "low_balance" | "failing_provider" | "pumping_blocks" | "pumping_learning" | "pumping_misfit" | "wrong_codes" | "spend_cap" | "no_messages_delivered" | "ip_source" | "conversion_drop" | "partitions_short"; "severity": "warning" | "critical"; "message": string; "since": string | null })[] } }
  /** What a send would do now; nothing is sent, counted or charged */
  previewSend: { request: { params: { app_id: string }; body: { "recipient": string; "client_ip"?: string | null } }; answer: { "channel": "sms" | "whatsapp" | "telegram" | "email"; "order": ("sms" | "whatsapp" | "telegram" | "email")[]; "price": string; "decision": (Shape40 | { "rule": string; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": null })[] } | { "error": { "type": string; "message": string; "details": Record<string, unknown> }; "decision": (Shape40 | { "rule": string; "outcome": "pass" | "refuse" | "skip" | "reroute" | "shadow"; "why": string; "facts": null })[] } }
  /** The lists of addresses that this node goes by, and their age */
  listIpSources: { request: Record<string, never>; answer: { "sources": ({ "name": string; "class": string; "entries": number | null; "loaded_at": string | null; "age_s": number | null; "max_age_s": number; "problem": string | null })[] } }
  /** The languages that texts are shipped in */
  listLocales: { request: Record<string, never>; answer: { "locales": (string)[] } }
  /** End a pending verification: its code no longer verifies, and `otp.failed` is sent */
  cancelVerification: { request: { params: { otp_id: string } }; answer: Shape43 }
  /** Resend a verification as its caller would: the same rules, limits and price */
  resendVerification: { request: { params: { otp_id: string }; body: { "channel"?: "sms" | "whatsapp" | "telegram" | "email" | null } }; answer: Shape43 }
  /** Forget the recipient of a verification everywhere in the company, at once */
  eraseVerification: { request: { params: { otp_id: string } }; answer: { "verifications": number } }
  /** Block the recipient of a verification in the company, or let it past the guard for a day */
  exceptVerification: { request: { params: { otp_id: string }; body: { "kind": "blocked" | "allowed" } }; answer: { "exception_id": string; "kind": "blocked" | "allowed"; "masked_recipient": string; "created_at": string; "created_by": string | null; "expires_at": string | null } }
  /** Recipients that are blocked, or let past the guard, newest first */
  listExceptions: { request: { params: { company_id: string }; query?: { "limit"?: number; "cursor"?: string } }; answer: { "exceptions": ({ "exception_id": string; "kind": "blocked" | "allowed"; "masked_recipient": string; "created_at": string; "created_by": string | null; "expires_at": string | null })[]; "next_cursor": string | null } }
  /** Block a recipient in the company, or let it past the guard for a day */
  exceptRecipient: { request: { params: { company_id: string }; body: { "recipient": string; "country"?: string | null; "kind": "blocked" | "allowed" } }; answer: { "exception_id": string; "kind": "blocked" | "allowed"; "masked_recipient": string; "created_at": string; "created_by": string | null; "expires_at": string | null } }
  /** The recipient is like any other again */
  liftException: { request: { params: { company_id: string; exception_id: string } }; answer: { "exception_id": string } }
  /** The team, and who is invited */
  listMembers: { request: { params: { company_id: string } }; answer: { "members": ({ "person_id": string; "email": string; "name": string | null; "role": "viewer" | "developer" | "owner"; "joined_at": string; "last_sign_in_at": string | null })[]; "invitations": ({ "invitation_id": string; "email": string; "role": "viewer" | "developer" | "owner"; "created_at": string; "expires_at": string })[] } }
  /** Change a role; a company keeps at least one owner */
  updateMember: { request: { params: { company_id: string; person_id: string }; body: { "role": "viewer" | "developer" | "owner" } }; answer: { "person_id": string; "email": string; "name": string | null; "role": "viewer" | "developer" | "owner"; "joined_at": string; "last_sign_in_at": string | null } }
  /** Take a person out of the company; a company keeps at least one owner */
  removeMember: { request: { params: { company_id: string; person_id: string } }; answer: { "person_id": string } }
  /** Invite an email address; whoever signs in with it within a week joins */
  inviteMember: { request: { params: { company_id: string }; body: { "email": string; "role": "viewer" | "developer" | "owner"; "mail"?: boolean } }; answer: { "invitation_id": string; "email": string; "role": "viewer" | "developer" | "owner"; "created_at": string; "expires_at": string; "url": string; "mailed": boolean } }
  /** Withdraw an invitation */
  withdrawInvitation: { request: { params: { company_id: string; invitation_id: string } }; answer: { "invitation_id": string } }
  /** What the company asks of whoever signs in */
  getSignInRules: { request: { params: { company_id: string } }; answer: { "passkey_required": boolean } }
  /** Ask members for a passkey, or no longer; whoever asks must have used one */
  putSignInRules: { request: { params: { company_id: string }; body: { "passkey_required": boolean } }; answer: { "passkey_required": boolean } }
  /** Who changed what in the company, newest first */
  listAudit: { request: { params: { company_id: string }; query?: { "limit"?: number; "cursor"?: string } }; answer: { "entries": (Shape44)[]; "next_cursor": string | null } }
  /** Who changed what anywhere, newest first */
  listAllAudit: { request: { query?: { "limit"?: number; "cursor"?: string } }; answer: { "entries": (Shape44)[]; "next_cursor": string | null } }
  /** All companies with their figures of the last day, and what needs attention */
  getInstallation: { request: Record<string, never>; answer: { "from": string; "to": string; "companies": ({ "company_id": string; "name": string; "metered": boolean; "balance": string; "apps": number; "sends": number; "approvals": number; "conversion": number | null; "refusals": number; "cost": string; "alerts": number })[]; "attention": ({ "kind": "low_balance" | "failing_provider" | "conversion_drop" | "pumping_blocks" | "pumping_learning" | "pumping_misfit" | "wrong_codes" | "webhook_paused" | "spend_cap" | "no_messages_delivered" | "ip_source" | "partitions_short"; "severity": "warning" | "critical"; "message": string; "since": string | null; "subject": string; "company_id": string | null })[] } }
  /** What the guard against pumping holds back now, in all apps of all companies */
  listAllBlocks: { request: Record<string, never>; answer: { "blocks": ({ "block_id": string; "level": "r100" | "r1k" | "r10k" | "carrier" | "country" | "known_carrier" | "known_country" | "ip"; "place": string; "kind": "hold" | "block"; "numbers": number; "approved": number; "times": number; "started_at": string; "until": string; "company_id": string; "company_name": string; "app_id": string; "app_name": string })[] } }
  /** Who is an operator */
  listOperators: { request: Record<string, never>; answer: { "operators": ({ "person_id": string; "email": string; "name": string | null; "created_at": string; "last_sign_in_at": string | null })[] } }
  /** An operator no more, but still a member of companies; one operator is kept */
  demoteOperator: { request: { params: { person_id: string } }; answer: { "person_id": string } }
  /** Out of every company too, and signed out everywhere; one operator is kept */
  removeOperator: { request: { params: { person_id: string } }; answer: { "person_id": string } }
  /** One-time links that still work */
  listSignInLinks: { request: Record<string, never>; answer: { "links": ({ "link_id": string; "email": string; "is_operator": boolean; "created_at": string; "expires_at": string })[] } }
  /** A link that shall not work any more */
  revokeSignInLink: { request: { params: { link_id: string } }; answer: { "link_id": string } }
  /** Who is told when something is wrong in a company, and of what */
  getAlerts: { request: { params: { company_id: string } }; answer: Shape46 }
  /** Set who is told, and of what; replaces all of it */
  putAlerts: { request: { params: { company_id: string }; body: { "channels": (Shape47)[]; "rules"?: Record<string, { "enabled": boolean; "threshold"?: number | null }> } }; answer: Shape46 }
  /** Send one alert to every channel at once; ten times in ten minutes at most */
  testAlerts: { request: { params: { company_id: string } }; answer: { "results": ({ "kind": "email" | "webhook" | "slack"; "ok": boolean; "detail": string })[] } }
  /** Who is told when something is wrong in the installation, and of what */
  getOperatorAlerts: { request: Record<string, never>; answer: Shape46 }
  /** Set who is told, and of what; replaces all of it */
  putOperatorAlerts: { request: { body: { "channels": (Shape47)[]; "rules"?: Record<string, { "enabled": boolean; "threshold"?: number | null }> } }; answer: Shape46 }
  /** Send one alert to every channel at once; ten times in ten minutes at most */
  testOperatorAlerts: { request: Record<string, never>; answer: { "results": ({ "kind": "email" | "webhook" | "slack"; "ok": boolean; "detail": string })[] } }
}

/** Method and path of each. */
export const managementOperations = {
  createCompany: ['POST', '/companies'],
  listCompanies: ['GET', '/companies'],
  updateCompany: ['PATCH', '/companies/{company_id}'],
  closeCompany: ['DELETE', '/companies/{company_id}'],
  listApps: ['GET', '/companies/{company_id}/apps'],
  getCompany: ['GET', '/companies/{company_id}'],
  creditCompany: ['POST', '/companies/{company_id}/credits'],
  listLedger: ['GET', '/companies/{company_id}/ledger'],
  getCompanySpend: ['GET', '/companies/{company_id}/spend'],
  eraseRecipient: ['POST', '/companies/{company_id}/erasures'],
  getPrices: ['GET', '/prices'],
  putPrices: ['PUT', '/prices'],
  createApp: ['POST', '/companies/{company_id}/apps'],
  getApp: ['GET', '/apps/{app_id}'],
  updateApp: ['PATCH', '/apps/{app_id}'],
  pauseApp: ['POST', '/apps/{app_id}/pause'],
  resumeApp: ['POST', '/apps/{app_id}/resume'],
  deleteApp: ['DELETE', '/apps/{app_id}'],
  createKey: ['POST', '/apps/{app_id}/keys'],
  listKeys: ['GET', '/apps/{app_id}/keys'],
  revokeKey: ['DELETE', '/keys/{key_id}'],
  listBlocks: ['GET', '/apps/{app_id}/blocks'],
  liftBlock: ['DELETE', '/apps/{app_id}/blocks/{block_id}'],
  getSpend: ['GET', '/apps/{app_id}/spend'],
  getGuessing: ['GET', '/apps/{app_id}/guessing'],
  lintMessage: ['POST', '/apps/{app_id}/messages/lint'],
  listProviders: ['GET', '/providers'],
  createProvider: ['POST', '/providers'],
  updateProvider: ['PATCH', '/providers/{provider_id}'],
  deleteProvider: ['DELETE', '/providers/{provider_id}'],
  checkProvider: ['POST', '/providers/{provider_id}/check'],
  testProvider: ['POST', '/providers/{provider_id}/test'],
  dryRunProvider: ['POST', '/providers/{provider_id}/dry-run'],
  listWebhooks: ['GET', '/apps/{app_id}/webhooks'],
  createWebhook: ['POST', '/apps/{app_id}/webhooks'],
  getEndpoint: ['GET', '/apps/{app_id}/webhooks/{endpoint_id}'],
  updateEndpoint: ['PATCH', '/apps/{app_id}/webhooks/{endpoint_id}'],
  deleteEndpoint: ['DELETE', '/apps/{app_id}/webhooks/{endpoint_id}'],
  enableEndpoint: ['POST', '/apps/{app_id}/webhooks/{endpoint_id}/enable'],
  countUnsentOfEndpoint: ['GET', '/apps/{app_id}/webhooks/{endpoint_id}/unsent'],
  rotateSecretOfEndpoint: ['POST', '/apps/{app_id}/webhooks/{endpoint_id}/rotate-secret'],
  testEndpoint: ['POST', '/apps/{app_id}/webhooks/{endpoint_id}/test'],
  putWebhook: ['PUT', '/apps/{app_id}/webhook'],
  getWebhook: ['GET', '/apps/{app_id}/webhook'],
  deleteWebhook: ['DELETE', '/apps/{app_id}/webhook'],
  enableWebhook: ['POST', '/apps/{app_id}/webhook/enable'],
  countUnsent: ['GET', '/apps/{app_id}/webhook/unsent'],
  rotateWebhookSecret: ['POST', '/apps/{app_id}/webhook/rotate-secret'],
  testWebhook: ['POST', '/apps/{app_id}/webhook/test'],
  listEvents: ['GET', '/apps/{app_id}/events'],
  getEvent: ['GET', '/events/{event_id}'],
  replayEvent: ['POST', '/events/{event_id}/replay'],
  replayFailed: ['POST', '/apps/{app_id}/events/replay-failed'],
  getRules: ['GET', '/apps/{app_id}/rules'],
  putRules: ['PUT', '/apps/{app_id}/rules'],
  listRuleRevisions: ['GET', '/apps/{app_id}/rules/revisions'],
  restoreRuleRevision: ['POST', '/apps/{app_id}/rules/revisions/{revision}/restore'],
  backtestRules: ['POST', '/apps/{app_id}/rules/backtest'],
  listVerifications: ['GET', '/apps/{app_id}/verifications'],
  searchVerifications: ['POST', '/apps/{app_id}/verifications/search'],
  getVerification: ['GET', '/verifications/{otp_id}'],
  listRefusals: ['GET', '/apps/{app_id}/refusals'],
  getRefusalStats: ['GET', '/apps/{app_id}/refusals/stats'],
  listErrors: ['GET', '/apps/{app_id}/errors'],
  getErrorStats: ['GET', '/apps/{app_id}/errors/stats'],
  searchCompany: ['POST', '/companies/{company_id}/search'],
  getStats: ['GET', '/apps/{app_id}/stats'],
  getWays: ['GET', '/apps/{app_id}/stats/ways'],
  getAttention: ['GET', '/apps/{app_id}/attention'],
  previewSend: ['POST', '/apps/{app_id}/preview'],
  listIpSources: ['GET', '/ip-sources'],
  listLocales: ['GET', '/locales'],
  cancelVerification: ['POST', '/verifications/{otp_id}/cancel'],
  resendVerification: ['POST', '/verifications/{otp_id}/resend'],
  eraseVerification: ['POST', '/verifications/{otp_id}/erase'],
  exceptVerification: ['PUT', '/verifications/{otp_id}/exception'],
  listExceptions: ['GET', '/companies/{company_id}/exceptions'],
  exceptRecipient: ['POST', '/companies/{company_id}/exceptions'],
  liftException: ['DELETE', '/companies/{company_id}/exceptions/{exception_id}'],
  listMembers: ['GET', '/companies/{company_id}/members'],
  updateMember: ['PATCH', '/companies/{company_id}/members/{person_id}'],
  removeMember: ['DELETE', '/companies/{company_id}/members/{person_id}'],
  inviteMember: ['POST', '/companies/{company_id}/invitations'],
  withdrawInvitation: ['DELETE', '/companies/{company_id}/invitations/{invitation_id}'],
  getSignInRules: ['GET', '/companies/{company_id}/sign-in-rules'],
  putSignInRules: ['PUT', '/companies/{company_id}/sign-in-rules'],
  listAudit: ['GET', '/companies/{company_id}/audit'],
  listAllAudit: ['GET', '/audit'],
  getInstallation: ['GET', '/installation'],
  listAllBlocks: ['GET', '/blocks'],
  listOperators: ['GET', '/operators'],
  demoteOperator: ['POST', '/operators/{person_id}/demote'],
  removeOperator: ['DELETE', '/operators/{person_id}'],
  listSignInLinks: ['GET', '/sign-in-links'],
  revokeSignInLink: ['DELETE', '/sign-in-links/{link_id}'],
  getAlerts: ['GET', '/companies/{company_id}/alerts'],
  putAlerts: ['PUT', '/companies/{company_id}/alerts'],
  testAlerts: ['POST', '/companies/{company_id}/alerts/test'],
  getOperatorAlerts: ['GET', '/alerts'],
  putOperatorAlerts: ['PUT', '/alerts'],
  testOperatorAlerts: ['POST', '/alerts/test'],
} as const satisfies Record<keyof ManagementOperations, readonly [string, string]>
