/** Operators and their sign-in links. The command line may remove even the last operator: it is a way back in. */
import { AppError } from '@countersign/contract'
import {
  demoteOperator,
  getOperatorByEmail,
  listOperators,
  listSignInLinks,
  makeSignInLink,
  removeOperator,
  revokeSignInLink,
  signInLinkUrl,
} from '../domain/members/index.ts'
import type { PersonId } from '../platform/ids.ts'
import { type Commands, type DatabaseCommand, type Surroundings, UsageError } from './command.ts'

const lines = (rows: readonly (readonly string[])[], none: string): string =>
  rows.length === 0 ? none : rows.map((row) => row.join('  ')).join('\n')

/** Somebody with an unopened link is not an operator yet and cannot be removed, but would become one a moment later. */
async function operatorOf(surroundings: Surroundings, email: string): Promise<PersonId> {
  try {
    return await getOperatorByEmail(surroundings, email)
  } catch (error) {
    const isTheirs = (link: { email: string }) => link.email.toLowerCase() === email.trim().toLowerCase()
    const open = (await listSignInLinks(surroundings)).find((link) => link.isOperator && isTheirs(link))
    if (!open) throw error
    throw new AppError(
      'NotFoundError',
      `No operator has this address yet, but a link that would make this person one still works. Run: countersign revoke-sign-in-link ${open.linkId}`,
    )
  }
}

const leave =
  (act: typeof demoteOperator): DatabaseCommand['read'] =>
  ([email]) => {
    if (!email) throw new UsageError('Say the email address of the operator.')
    return async (surroundings) => {
      const said = await act(surroundings, await operatorOf(surroundings, email), { keepsOne: false })
      return { text: said, data: { person_id: said } }
    }
  }

export const peopleCommands: Commands = {
  'sign-in-link': {
    needs: 'database',
    words: ['EMAIL'],
    summary: 'a link that opens the dashboard as that operator, once, within the hour',
    options: {
      new: 'makes the person an operator when they open the link',
      member: 'signs in a member or somebody invited, in their own role',
    },
    read: ([email], options) => {
      if (!email) throw new UsageError('Say an email address.')
      if (options.new && options.member) throw new UsageError('Say --new or --member, not both.')
      const linkFor = options.new ? 'new' : options.member ? 'members' : 'operators'
      return async (surroundings) => {
        const token = await makeSignInLink(surroundings, email, linkFor)
        const url = signInLinkUrl(surroundings.config.publicUrl, token)
        return { text: url, data: { url } }
      }
    },
  },
  'sign-in-links': {
    needs: 'database',
    words: [],
    summary: 'the links that still work',
    isReading: true,
    read: () => async (surroundings) => {
      const links = await listSignInLinks(surroundings)
      const text = lines(
        links.map((link) => [
          link.linkId,
          link.email,
          link.isOperator ? 'operator' : 'member',
          `until ${link.expiresAt.toISOString()}`,
        ]),
        'There are no unused links.',
      )
      const data = links.map((link) => ({
        link_id: link.linkId,
        email: link.email,
        is_operator: link.isOperator,
        expires_at: link.expiresAt,
      }))
      return { text, data: { links: data } }
    },
  },
  'revoke-sign-in-link': {
    needs: 'database',
    words: ['LINK_ID'],
    summary: 'make a link stop working',
    read: ([linkId]) => {
      if (!linkId) throw new UsageError('Say which link (lnk_…). "sign-in-links" lists them.')
      return async (surroundings) => {
        const revoked = await revokeSignInLink(surroundings, linkId)
        return { text: revoked, data: { link_id: revoked } }
      }
    },
  },
  operators: {
    needs: 'database',
    words: [],
    summary: 'who is an operator',
    isReading: true,
    read: () => async (surroundings) => {
      const operators = await listOperators(surroundings)
      const text = lines(
        operators.map((operator) => [
          operator.personId,
          operator.email,
          operator.lastSignInAt ? `last signed in ${operator.lastSignInAt.toISOString()}` : 'never signed in',
        ]),
        'There is no operator.',
      )
      const data = operators.map((operator) => ({
        person_id: operator.personId,
        email: operator.email,
        last_sign_in_at: operator.lastSignInAt,
      }))
      return { text, data: { operators: data } }
    },
  },
  'demote-operator': {
    needs: 'database',
    words: ['EMAIL'],
    summary: 'take the operator role from somebody, who stays a member of companies',
    read: leave(demoteOperator),
  },
  'remove-operator': {
    needs: 'database',
    words: ['EMAIL'],
    summary: 'remove an operator from every company too, and sign them out everywhere',
    read: leave(removeOperator),
  },
}
