/** Operators and their links, from the command line. It may also take the last operator away: it is a way back in. */
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
import { type Command, UsageError } from './command.ts'

const lines = (rows: readonly (readonly string[])[], none: string): string =>
  rows.length === 0 ? none : rows.map((row) => row.join('  ')).join('\n')

const leave =
  (act: typeof demoteOperator): Command['run'] =>
  async (surroundings, [email]) => {
    if (!email) throw new UsageError('Say the email address of the operator.')
    return act(surroundings, await getOperatorByEmail(surroundings, email), { keepsOne: false })
  }

export const peopleCommands: Readonly<Record<string, Command>> = {
  'sign-in-link': {
    run: async (surroundings, [email], options) => {
      if (!email) throw new UsageError('Say an email address.')
      if (options.new && options.member) throw new UsageError('Say --new or --member, not both.')
      const linkFor = options.new ? 'new' : options.member ? 'members' : 'operators'
      const token = await makeSignInLink(surroundings, email, linkFor)
      return signInLinkUrl(surroundings.config.publicUrl, token)
    },
  },
  'sign-in-links': {
    isReading: true,
    run: async (surroundings) =>
      lines(
        (await listSignInLinks(surroundings)).map((link) => [
          link.linkId,
          link.email,
          link.isOperator ? 'operator' : 'member',
          `until ${link.expiresAt.toISOString()}`,
        ]),
        'No link is open.',
      ),
  },
  'revoke-sign-in-link': {
    run: (surroundings, [linkId = '']) => revokeSignInLink(surroundings, linkId),
  },
  operators: {
    isReading: true,
    run: async (surroundings) =>
      lines(
        (await listOperators(surroundings)).map((operator) => [
          operator.personId,
          operator.email,
          operator.lastSignInAt ? `last signed in ${operator.lastSignInAt.toISOString()}` : 'never signed in',
        ]),
        'There is no operator.',
      ),
  },
  'demote-operator': { run: leave(demoteOperator) },
  'remove-operator': { run: leave(removeOperator) },
}
