/** The tables of the documents, held against what the contract has: each name once, with its default and bounds. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { alertDefaults, alertRuleNames, alertUnits } from './alerts/alerts.ts'
import { createProviderBody } from './providers/bodies.ts'
import { presetNames } from './providers/http/preset-names.ts'
import {
  destinationOf,
  kindsOfProvider,
  type ProviderKindName,
  providerKind,
  secretSettings,
} from './providers/kinds.ts'
import { then, when } from './tenancy/own-rules.ts'
import { appSettings } from './tenancy/settings.ts'
import { eventType } from './webhooks/events.ts'
import { answerKind, eventStatus, eventsQuery } from './webhooks/webhooks.ts'

const pageOf = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

/** What stands below a heading, up to the next one of its level or above. */
function partOf(page: string, heading: string): string {
  const [level = '#'] = heading.split(' ')
  const [, after = ''] = page.split(`\n${heading}\n`)
  return after.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? ''
}

const rowsIn = (text: string) =>
  [...text.matchAll(/^\| (.*\|)$/gm)].map(([, row = '']) => row.split(/ ?\|(?: |$)/).slice(0, -1))
const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const namesIn = (text: string) => rowsIn(text).flatMap(([first]) => codesIn(first))
const sorted = (names: Iterable<string>) => [...names].toSorted()

/** What a cell says: a number, JSON or a word between backticks; undefined for a sentence. */
function valueIn(cell: string): unknown {
  if (cell === 'empty') return ''
  const text = /^`([^`]*)`$/.exec(cell)?.[1] ?? (/^[a-z\d.]+$/.test(cell) ? cell : undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

describe('the settings of a provider account', () => {
  const page = pageOf('providers')

  for (const kind of providerKind.options) {
    const { fields } = kindsOfProvider[kind]
    const part = kind === 'http' ? pageOf('gateways') : partOf(page, `### ${kind}`)
    const rows = rowsIn(part)
    const rowOf = (name: string) => rows.find(([first]) => codesIn(first).includes(name)) ?? []

    it(`of the kind ${kind} are in its table, and no others`, () => {
      // The page of gateways has tables of values, outcomes and places too.
      const said = namesIn(part).filter((name) => kind !== 'http' || /^[a-z]+_[a-z_]+$/.test(name))
      const own = Object.keys(fields.shape)
      assert.deepEqual(
        own.filter((name) => !namesIn(part).includes(name)),
        [],
      )
      assert.deepEqual(
        said.filter((name) => !own.includes(name)),
        [],
      )
    })

    it(`of the kind ${kind} are required, have a default, or are credentials, as the table says`, () => {
      for (const [name, schema] of Object.entries<z.ZodType>(fields.shape)) {
        const [, unset = ''] = rowOf(name)
        if (schema instanceof z.ZodDefault) assert.deepEqual(valueIn(unset), schema.parse(undefined), name)
        else if (!(schema instanceof z.ZodOptional)) assert.match(unset, /^required/, name)
      }
      for (const name of secretSettings(kind)) assert.match(rowOf(name).join(' '), /credential/, name)
    })
  }

  it('can be written as the page shows for each kind', () => {
    const bodies = [...page.matchAll(/providers -H .* -d '(\{[\s\S]*?\n\})'/g)].map(([, body = '']) => body)
    const made = bodies.map((body) => createProviderBody.parse(JSON.parse(body)).kind)
    assert.deepEqual(sorted(made), sorted(providerKind.options))
  })

  it('decide where credentials go as the table says', () => {
    const rows = rowsIn(partOf(page, '### Where an account may go'))
    const said = rows.flatMap(([kind = '', settings, credentials]) =>
      codesIn(kind).map((name) => [
        name,
        { settings: sorted(codesIn(settings)), credentials: sorted(codesIn(credentials)) },
      ]),
    )
    const own = providerKind.options.map((kind: ProviderKindName) => {
      const { settings, credentials } = destinationOf(kind)
      return [kind, { settings: sorted(settings), credentials: sorted(credentials) }]
    })
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(own))
  })

  it('are of the channel that the table of kinds says', () => {
    const [table = ''] = page.split('\n- [')
    const said = rowsIn(table).flatMap(([kind, channel]) =>
      codesIn(kind).map((name) => [name, codesIn(channel)[0]]),
    )
    const own = Object.entries(kindsOfProvider).map(([kind, { channel }]) => [kind, channel])
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(own))
  })

  it('have a preset for each gateway of the table, and no others', () => {
    const [table = ''] = pageOf('gateways').split('\n- [')
    assert.deepEqual(sorted(namesIn(table).filter((name) => name !== 'preset')), sorted(presetNames))
  })
})

describe('docs/alerts.md', () => {
  it('has every rule with its unit and default, and no others', () => {
    const rows = rowsIn(pageOf('alerts')).filter((row) => row.length === 4)
    const said = rows.flatMap(([rule, , unit = '', usual]) =>
      codesIn(rule).map((name) => [name, `${usual} ${unit.split(' ')[0]}`]),
    )
    const units: Partial<Record<string, string>> = alertUnits
    const own = alertRuleNames.map((name) => [name, `${alertDefaults[name]} ${units[name] ?? 'minutes'}`])
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(own))
  })
})

describe('docs/webhooks.md', () => {
  const page = pageOf('webhooks')

  it('has every type of event, and no others', () => {
    const said = namesIn(partOf(page, '## What is sent')).filter((name) => name.includes('.'))
    assert.deepEqual(sorted(said), sorted(eventType.options))
  })

  it('has every filter and status of the list of events, and no others', () => {
    const part = partOf(page, '## Look at events')
    assert.deepEqual(
      sorted(namesIn(part)),
      sorted([...Object.keys(eventsQuery.shape), ...eventStatus.options]),
    )
    const [, kinds] = rowsIn(part).find(([first]) => first === '`answer`') ?? []
    assert.deepEqual(codesIn(kinds), answerKind.options)
  })
})

describe('docs/rules.md', () => {
  const page = pageOf('rules')

  it('has every condition, and no others', () => {
    assert.deepEqual(sorted(namesIn(partOf(page, '## Conditions'))), sorted(Object.keys(when.shape)))
  })

  it('has every action, as it can be written, and no others', () => {
    const shown = namesIn(partOf(page, '## Actions')).map((text) => then.parse(JSON.parse(text)).action)
    assert.deepEqual(sorted(shown), sorted(then.options.map(({ shape }) => shape.action.value)))
  })
})

describe('the settings of an app', () => {
  const page = pageOf('api')
  const [part = ''] = partOf(page, '## Settings of an app').split('\n### An order')
  const defaults: unknown = appSettings.parse({})

  const valueAt = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], defaults)
  /** Whether the app takes this value there. */
  const isTaken = (path: string, value: unknown) =>
    appSettings.safeParse(path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value)).success

  const pathsIn = (value: unknown, path: string): string[] => {
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value)
    const entries = inner ? Object.entries(value) : []
    return entries.length === 0 ? [path] : entries.flatMap(([name, each]) => pathsIn(each, `${path}.${name}`))
  }
  const paths = Object.entries(defaults as object).flatMap(([name, value]) => pathsIn(value, name))

  /** `<name>` and `*` stand for any name; a setting that is an object stands for all in it. */
  const patternOf = (name: string) =>
    new RegExp(`^${name.replaceAll('.', '\\.').replace('<name>', '\\w+').replace('*', '.*')}(\\.|$)`)

  it('are in the tables of docs/api.md, and no others', () => {
    const said = namesIn(part).filter((name) => name !== 'name')
    assert.ok(said.length > 25)
    assert.deepEqual(
      paths.filter((path) => !said.some((name) => patternOf(name).test(path))),
      [],
    )
    assert.deepEqual(
      said.filter((name) => !paths.some((path) => patternOf(name).test(path))),
      [],
    )
  })

  it('have the defaults and bounds that the tables say', () => {
    let checked = 0
    for (const [first, unset = '', bounds = ''] of rowsIn(part)) {
      const [name = '', ...others] = codesIn(first)
      if (others.length > 0 || !/^[a-z_.]+$/.test(name) || name === 'name') continue
      const usual = valueIn(unset)
      if (usual !== undefined && usual !== 'below') assert.deepEqual(valueAt(name), usual, name)
      const [, low, high] = /^([\d.]+)(?:–| to )([\d.]+)$/.exec(bounds) ?? []
      if (low === undefined || high === undefined) continue
      const step = bounds.includes('–') ? 1 : 0.001
      const values = [Number(low) - step, Number(low), Number(high), Number(high) + step]
      assert.deepEqual(
        values.map((value) => isTaken(name, value)),
        [false, true, true, false],
        name,
      )
      checked++
    }
    assert.ok(checked > 6)
  })

  it('have the limits that the table says', () => {
    const rows = rowsIn(partOf(page, '### Limits')).filter(([first = '']) => first.startsWith('`limits.'))
    for (const [first, unset = '', highest] of rows) {
      const [name = ''] = codesIn(first)
      const windows = [...unset.matchAll(/(\d+) per (\d+) s/g)].map(([, max, seconds]) => ({
        max: Number(max),
        window_s: Number(seconds),
      }))
      assert.deepEqual(valueAt(name), windows, name)
      const taken = [0, 1].map((more) => isTaken(name, [{ max: Number(highest) + more, window_s: 60 }]))
      assert.deepEqual(taken, [true, false], name)
    }
    assert.equal(rows.length, 6)
  })
})
