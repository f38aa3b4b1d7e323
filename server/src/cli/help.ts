/** The help texts, made from the descriptions of the commands. */
import type { Command, Commands } from './command.ts'

const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Run it', ['start', 'migrate', 'doctor', 'canary']],
  ['Try it', ['send', 'verify', 'ip explain']],
  ['Companies and keys', ['create-company', 'create-app', 'create-key', 'erase']],
  [
    'Operators',
    [
      'sign-in-link',
      'sign-in-links',
      'revoke-sign-in-link',
      'operators',
      'demote-operator',
      'remove-operator',
    ],
  ],
  ['Maintain it', ['audit verify', 'rotate-data-key', 'drop-old-partitions']],
]

const closing = `With --json every command prints JSON. "countersign help <command>" says more about one.

Exit codes: 0 done, 1 the answer is no (refused, wrong, a fault was found), 2 the words or settings are wrong,
3 the database or the service cannot be reached.

It reads the same environment as the service. Without DATABASE_URL it works on the embedded database of the
service that is running on DATA_DIR.`

const start: Pick<Command, 'words' | 'neededOptions' | 'summary'> = {
  words: [],
  summary: 'start the service (the default)',
}

const namedIn = (commands: Commands, name: string) =>
  name === 'start' ? start : commands[name.split(' ')[0] ?? '']

/** Uses only the first word of the name: in "ip explain" the verb is one of the words. */
const callOf = (name: string, { words, neededOptions = '' }: typeof start) =>
  [name.split(' ')[0], ...words, neededOptions].join(' ').trim()

const column = 38

function lineOf(call: string, summary: string): string[] {
  return call.length <= column
    ? [`  ${call.padEnd(column)}  ${summary}`]
    : [`  ${call}`, `  ${' '.repeat(column)}  ${summary}`]
}

export function overview(commands: Commands): string {
  const lines = groups.flatMap(([title, names]) => [
    '',
    title,
    ...names.flatMap((name) => {
      const command = namedIn(commands, name)
      return command ? lineOf(callOf(name, command), command.summary) : []
    }),
  ])
  return ['countersign <command> [words] [--options]', ...lines, '', closing].join('\n')
}

const startHelp = `countersign start

  Start the service (the default).
  It takes no options: settings are variables of the environment, which docs/operations.md lists. Without DATABASE_URL
  it is a sandbox, with an embedded PostgreSQL and everything it keeps under DATA_DIR.
  SIGTERM or Ctrl-C stops it once its work is finished; another one, at least a second later, stops it at once.`

export function helpOf(name: string, command: Command | null): string {
  if (command === null) return startHelp
  const options = Object.entries(command.options ?? {})
  const width = Math.max(6, ...options.map(([option]) => option.length + 2))
  return [
    `countersign ${callOf(name, command)}`,
    '',
    `  ${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    ...(command.details ?? []).map((line) => `  ${line}`),
    '',
    ...options.map(([option, meaning]) => `  ${`--${option}`.padEnd(width)}  ${meaning}`),
    `  ${'--json'.padEnd(width)}  print JSON`,
  ].join('\n')
}
