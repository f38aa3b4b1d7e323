/** What the dashboard needs of the contract at run time, as plain values: zod stays out of the bundle. */
import type { Plugin } from 'vite'
import { channelNames, operations, roles } from '../../contract/src/index.ts'
import { eventStatus } from '../../contract/src/manage.ts'
import { appSettings } from '../../contract/src/settings.ts'
import { countryCodes, otpStatus } from '../../contract/src/vocabulary.ts'

const id = 'virtual:contract'

const endpoints = Object.fromEntries(
  Object.entries(operations)
    .filter(([, { path }]) => path.startsWith('/manage/'))
    .map(([name, { method, path }]) => [name, [method, path]]),
)

/** Of every number among an app's settings: its bounds and its default. */
function numberBounds() {
  const defaults: Record<string, unknown> = appSettings.parse({})
  return Object.fromEntries(
    Object.entries(appSettings.toJSONSchema({ io: 'input' }).properties ?? {}).flatMap(([name, schema]) =>
      typeof schema === 'object' && schema.type === 'integer'
        ? [[name, { min: schema.minimum, max: schema.maximum, default: defaults[name] }]]
        : [],
    ),
  )
}

export function contractModule(): Plugin {
  const values = {
    endpoints,
    channelNames,
    roles,
    otpStatuses: otpStatus.options,
    eventStatuses: eventStatus.options,
    countryCodes,
    defaultSettings: appSettings.parse({}),
    numberBounds: numberBounds(),
  }
  const source = Object.entries(values).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}`,
  )
  return {
    name: 'countersign:contract',
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    load: (name) => (name === `\0${id}` ? source.join('\n') : undefined),
  }
}
