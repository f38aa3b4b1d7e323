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
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const given = tokens.filter((token) => token.kind === 'option')
  const [named = 'help'] = words
  // Who asks for help may have half a command on the line.
  if (given.some(asksForHelp))
    return { name: 'help', words: words.filter((word) => word !== 'help'), options: {} }
  const [first] = tokens
  if (first?.kind === 'option' && !Object.hasOwn(optionTypes, first.name))
    throw new UsageError(noOptionOfNothing(first.rawName))
  // For an unknown command, report its name as the mistake, whatever its options are.
  if (named !== 'help' && named !== 'start') commandOf(commands, named)
  for (const option of given) assertOption(commands, named, option)
  for (const { name, rawName } of given) {
    if (isText(name) && given.filter((other) => other.name === name).length > 1)
      throw new UsageError(`${rawName} is there more than once. Say it once.`)
  }
  const plain = given.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`))
  const { positionals, values } = parseArgs({
    args: [...plain, '--', ...words],
    allowPositionals: true,
    options: optionTypes,
  })
  const [name = 'help', ...rest] = positionals
  return { name, words: rest, options: values }
}

interface Given {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

const isText = (name: string) =>
  Object.entries(optionTypes).some(([known, { type }]) => known === name && type === 'string')

/** `--app --help` asks for help too. */
const asksForHelp = ({ name, value, inlineValue }: Given) =>
  name === 'help' || (!inlineValue && (value === '--help' || value === '-h'))

/** In `--app --json` the value was left out. A number may begin with a dash: the command says what it thinks of it. */
const isLeftOut = ({ value = '', inlineValue }: Given) =>
  value.trim() === '' || (!inlineValue && value.startsWith('-') && !/^-[.\d]/.test(value))

function assertOption(commands: Commands, command: string, option: Given): void {
  const { name, rawName, value } = option
  if (!optionsOf(commands, command).includes(name)) throw new UsageError(noOption(commands, command, rawName))
  if (!isText(name)) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value. Write it alone: ${rawName}`)
  } else if (isLeftOut(option)) {
    const meaning = Object.entries(commands[command]?.options ?? {}).find(([known]) => known === name)?.[1]
    throw new UsageError(`${rawName} needs a value: ${meaning}. See: countersign help ${command}`)
  }
}

const everywhere = ['help', 'json', 'version']
const optionsOf = (commands: Commands, name: string) => [
  ...(Object.hasOwn(commands, name) ? Object.keys(commands[name]?.options ?? {}) : []),
  ...everywhere,
]

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
