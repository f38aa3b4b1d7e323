/** What a developer has said to a command. A typo gets one line that names it, and nothing begins. */
import { parseArgs } from 'node:util'

type Value = number | string | boolean
type Values<Defaults> = { readonly [Name in keyof Defaults]: Defaults[Name] }

/** The kind of an option is that of its default; numbers are whole. */
export function readOptions<Defaults extends Record<string, Value>>(
  defaults: Defaults,
  args: readonly string[] = process.argv.slice(2),
): Values<Defaults> {
  const kinds = Object.entries(defaults).map(([name, value]) => [
    name,
    { type: typeof value === 'boolean' ? 'boolean' : 'string' },
  ])
  try {
    const { values } = parseArgs({ args: [...args], options: Object.fromEntries(kinds) })
    const given = Object.entries(values).map(([name, value]) => [
      name,
      typeof defaults[name] === 'number' ? wholeNumber(name, String(value)) : value,
    ])
    return { ...defaults, ...Object.fromEntries(given) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, and "${text}" is not.`)
  return Number(text)
}
