/** Parses the arguments and options of a command; for wrong ones it suggests what may have been meant. */
import { parseArgs } from 'node:util'
import { nearest } from '../platform/nearest.ts'
import { type Command, type Commands, type Options, optionTypes, UsageError } from './command.ts'

interface Parsed {
  readonly name: string
  readonly words: readonly string[]
  readonly options: Options
}

export function parse(commands: Commands, args: readonly string[]): Parsed {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: optionTypes,
  })
  const [first] = tokens
  if (first?.kind === 'option' && !Object.hasOwn(optionTypes, first.name))
    throw new UsageError(noOptionOfNothing(first.rawName))
  const named = tokens.find((token) => token.kind === 'positional')?.value ?? 'help'
  // For an unknown command, report its name as the mistake, whatever its options are.
  if (named !== 'help' && named !== 'start') commandOf(commands, named)
  for (const token of tokens) {
    if (token.kind === 'option' && !hasOption(commands, named, token.name))
      throw new UsageError(noOption(commands, named, token.rawName))
  }
  const { positionals, values } = readAll(args)
  const [name = 'help', ...words] = positionals
  if (values.help) return { name: 'help', words: name === 'help' ? words : [name], options: values }
  return { name, words, options: values }
}

function readAll(args: readonly string[]): { positionals: string[]; values: Options } {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: optionTypes })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The options cannot be read.')
  }
}

const everywhere = ['help', 'json', 'version']
const optionsOf = (commands: Commands, name: string) => [
  ...(Object.hasOwn(commands, name) ? Object.keys(commands[name]?.options ?? {}) : []),
  ...everywhere,
]

const hasOption = (commands: Commands, name: string, option: string) =>
  optionsOf(commands, name).includes(option)

function noOption(commands: Commands, name: string, option: string): string {
  if (name === 'start') return noWordsOfStart
  const meant = nearest(option.replace(/^-+/, ''), optionsOf(commands, name))
  const guess = meant ? ` Did you mean --${meant}?` : ''
  return `"${name}" has no option ${option}.${guess} See: countersign help ${name}`
}

/** Without a command, the option is meant for `start`. */
function noOptionOfNothing(option: string): string {
  const meant = nearest(option.replace(/^-+/, ''), everywhere)
  return meant ? `There is no option ${option}. Did you mean --${meant}?` : noWordsOfStart
}

const noWordsOfStart =
  '"start" takes no words and no options. Settings are variables of the environment: PORT=3100 countersign start'

export function commandOf(commands: Commands, name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command) return command
  if (name === 'start') throw new UsageError(noWordsOfStart)
  const meant = nearest(name, [...Object.keys(commands), 'start', 'help'])
  const guess = meant ? ` Did you mean "${meant}"?` : ''
  throw new UsageError(`There is no command "${name}".${guess} "countersign help" lists them.`)
}

/** A surplus argument must not be ignored silently: somebody would believe that it had an effect. */
export function assertNoMore(name: string, command: Command, words: readonly string[]): void {
  const surplus = words[command.words.length]
  if (surplus === undefined) return
  const takes = command.words.length === 0 ? 'no words' : command.words.join(' ')
  throw new UsageError(
    `"${name}" takes ${takes}, so "${surplus}" is too many. What belongs together goes into quotes. See: countersign help ${name}`,
  )
}
