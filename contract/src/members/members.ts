/** People of the dashboard: signing in, sessions, the team of a company, and the audit trail. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import { plainText, timestamp } from '../vocabulary.ts'

/** What a person may do in a company; each role may also do what the one before it may. */
export const roles = ['viewer', 'developer', 'owner'] as const
export const role = z.enum(roles)
export type Role = z.infer<typeof role>

const email = z.string().max(254)
const personName = plainText.trim().min(1).max(100)

export const signInBody = z.strictObject({ email })
export const signInAnswer = z.object({
  otp_id: z.string().meta({ description: 'To be sent back with the code.' }),
  masked_recipient: z.string(),
  expires_at: timestamp,
})
export const signInCodeBody = z.strictObject({
  otp_id: z.string().min(1).max(64),
  code: z
    .string()
    .regex(/^[0-9]{4,8}$/, 'must be the digits of the code')
    .meta({
      description:
        'Eight digits, unless an operator has changed `code_length` of the app that sends them; another number of digits is refused and spends no attempt.',
    }),
})
export const signInCodeAnswer = z.object({
  matched: z.boolean().meta({ description: 'True: the answer sets the session’s cookie.' }),
  attempts_remaining: z.int(),
})
export const signInLinkBody = z.strictObject({ token: z.string().min(1).max(128) })
export const signInLinkAnswer = z.object({ person_id: z.string() })

export const meAnswer = z.object({
  person_id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  is_operator: z.boolean().meta({ description: 'Acts on all companies.' }),
  session_id: z.string(),
  is_fresh: z.boolean().meta({ description: 'Proven within ten minutes: no operation asks for it again.' }),
  has_passkey: z.boolean().meta({ description: 'Whether you have a passkey at all.' }),
  companies: z.array(
    z.object({
      company_id: z.string(),
      name: z.string(),
      role,
      needs_passkey: z
        .boolean()
        .meta({ description: 'The company requires a passkey, and this session has not used one.' }),
    }),
  ),
  installation: z.object({
    base_url: z.string(),
    phones_url: z.string().nullable().meta({ description: 'The simulator’s phones, in a sandbox.' }),
  }),
})
export type MeAnswer = z.infer<typeof meAnswer>
export const updateMeBody = z.strictObject({ name: personName.nullable() })

export const session = z.object({
  session_id: z.string(),
  is_current: z.boolean(),
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  created_at: timestamp,
  last_used_at: timestamp,
  expires_at: timestamp,
})
export const sessionsAnswer = z.object({ sessions: z.array(session) })
export const endSessionAnswer = z.object({ session_id: z.string() })
export const endOtherSessionsAnswer = z.object({
  ended: z.int().meta({ description: 'How many there were.' }),
})

const member = z.object({
  person_id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role,
  joined_at: timestamp,
  last_sign_in_at: timestamp.nullable(),
})
export const invitation = z.object({
  invitation_id: z.string(),
  email: z.string(),
  role,
  created_at: timestamp,
  expires_at: timestamp,
})
export const invitationAnswer = invitation.extend({
  url: z.string().meta({ description: 'Where the invited person signs in with that address.' }),
  mailed: z
    .boolean()
    .meta({ description: 'Whether a mail tells them. False also where none can be sent now.' }),
})
export const membersAnswer = z.object({ members: z.array(member), invitations: z.array(invitation) })
export const memberAnswer = member
export type MemberAnswer = z.infer<typeof member>
export const inviteBody = z.strictObject({
  email,
  role,
  mail: z
    .boolean()
    .default(false)
    .meta({ description: 'Tell them by mail, at most twice in ten minutes and five times in a day.' }),
})
export const updateMemberBody = z.strictObject({ role })
export const removeMemberAnswer = z.object({ person_id: z.string() })
export const withdrawInvitationAnswer = z.object({ invitation_id: z.string() })

export const signInRulesBody = z.strictObject({ passkey_required: z.boolean() })
export const signInRules = z.object({
  passkey_required: z.boolean().meta({ description: 'Members see the company only after using a passkey.' }),
})

export const operator = z.object({
  person_id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  created_at: timestamp,
  last_sign_in_at: timestamp.nullable(),
})
export const operatorsAnswer = z.object({ operators: z.array(operator) })
export const leftOperatorAnswer = z.object({ person_id: z.string() })
export const signInLinksAnswer = z.object({
  links: z.array(
    z.object({
      link_id: z.string(),
      email: z.string(),
      is_operator: z.boolean(),
      created_at: timestamp,
      expires_at: timestamp,
    }),
  ),
})
export const revokeLinkAnswer = z.object({ link_id: z.string() })

export const auditQuery = pageQuery
export const companyAuditQuery = pageQuery.extend({
  person_id: plainText.max(64).optional().meta({ description: 'Only what this person changed or tried.' }),
})
export const auditAnswer = z.object({
  entries: z.array(
    z.object({
      audit_id: z.string(),
      at: timestamp,
      actor: z.object({
        kind: z
          .enum(['person', 'token', 'command_line', 'stranger'])
          .meta({ description: '`token`: the operator’s token. `stranger`: somebody who was not let in.' }),
        person_id: z.string().nullable(),
        email: z.string().nullable(),
      }),
      action: z.string().meta({ description: 'The `operationId` of the call.' }),
      company_id: z.string().nullable(),
      app_id: z.string().nullable(),
      subject: z.string().nullable().meta({ description: 'The id in the path that was acted on.' }),
      changes: z
        .record(z.string(), z.unknown())
        .meta({ description: 'What was asked for. Credentials, recipients and long texts are left out.' }),
      outcome: z.enum(['done', 'refused', 'unknown']).meta({
        description:
          '`unknown` when the call ended in a 503, or with its process, before the outcome was known. `refused` with `Repeated` is a repeat with an idempotency key: it was given the first answer.',
      }),
      error_type: z.string().nullable().meta({ description: 'Why it was refused.' }),
      is_certain: z.boolean().meta({ description: 'False when the outcome is `unknown`.' }),
      address: z.string().nullable().meta({ description: 'Where the call came from.' }),
      request_id: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
export type AuditAnswer = z.infer<typeof auditAnswer>
