/** The API reference: a page for each group of operations, made from the OpenAPI document. */
import { escapeHtml } from './layout.ts'
import type { Heading, Section } from './markdown.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectAt = (value: unknown, ...path: string[]): Json => {
  let current: unknown = value
  for (const key of path) current = isObject(current) ? current[key] : undefined
  return isObject(current) ? current : {}
}
const listAt = (value: unknown, key: string): Json[] => {
  const list = isObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list.map((entry) => objectAt(entry)) : []
}
const textAt = (value: unknown, key: string) => String(objectAt({ value }, 'value')[key] ?? '')

/** Backticks in descriptions mark code; a blank line begins a paragraph. */
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export interface ReferencePage {
  readonly slug: string
  readonly title: string
  readonly summary: string
  readonly body: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: Json
}

const slugOf = (tag: string) => `reference/${tag.toLowerCase().replaceAll(' ', '-')}`

export function renderReference(document: Json): ReferencePage[] {
  const { resolve } = resolverOf(document)
  const entries = Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).map(
      ([method, operation]): Entry => ({ path, method, operation: objectAt(operation) }),
    ),
  )
  const events = Object.values(objectAt(document, 'webhooks')).map(
    (item): Entry => ({ path: 'your endpoint', method: 'post', operation: objectAt(item, 'post') }),
  )
  const groups = listAt(document, 'tags').map((tag) => ({
    tag: textAt(tag, 'name'),
    description: textAt(tag, 'description'),
    members: entries.filter(({ operation }) => isTagged(operation, textAt(tag, 'name'))),
  }))
  const all = [
    ...groups,
    { tag: 'Webhook events', description: 'What the service sends to your endpoints.', members: events },
  ]
  return [overview(all), ...all.map((group) => page(group, resolve))]
}

const isTagged = ({ tags }: Json, name: string) => Array.isArray(tags) && tags.includes(name)

interface OperationGroup {
  readonly tag: string
  readonly description: string
  readonly members: readonly Entry[]
}

function overview(groups: readonly OperationGroup[]): ReferencePage {
  const list = groups.map(({ tag, description, members }) => {
    const rows = members.map(
      ({ method, path, operation }) =>
        `<tr><td>${badge(method)}</td><td><a href="/docs/${slugOf(tag)}#${escapeHtml(textAt(operation, 'operationId'))}"><code>${escapeHtml(path)}</code></a></td><td>${prose(textAt(operation, 'summary'))}</td></tr>`,
    )
    return `<h2 id="${slugOf(tag).replace('reference/', '')}"><a href="/docs/${slugOf(tag)}">${escapeHtml(tag)}</a></h2><p>${prose(description)}</p><div class="scroll"><table class="operations"><tbody>${rows.join('')}</tbody></table></div>`
  })
  return {
    slug: 'reference',
    title: 'API reference',
    summary:
      'Every operation of the API, with its fields, answers and errors; each can be tried from its page.',
    headings: groups.map(({ tag }) => ({
      level: 2,
      text: tag,
      anchor: slugOf(tag).replace('reference/', ''),
    })),
    sections: [],
    body: `<h1>API reference</h1>
<p>JSON over HTTPS. Authenticate with <code>Authorization: Bearer &lt;key&gt;</code>. Every answer carries <code>X-Request-Id</code>, and every refusal has <a href="/docs/errors">one body</a>. The same for programs, as OpenAPI 3.1: <a href="/api/v1/openapi.json">openapi.json</a>. <a href="/docs/api">The API</a> explains it with calls to paste.</p>${list.join('')}`,
  }
}

function page({ tag, description, members }: OperationGroup, resolve: Resolve): ReferencePage {
  const headings = members.map(({ operation }) => ({
    level: 2,
    text: textAt(operation, 'operationId'),
    anchor: textAt(operation, 'operationId'),
  }))
  return {
    slug: slugOf(tag),
    title: tag,
    summary: description,
    headings,
    sections: members.map(({ path, operation }) => ({
      heading: textAt(operation, 'summary'),
      anchor: textAt(operation, 'operationId'),
      text: `${textAt(operation, 'operationId')} ${path} ${textAt(operation, 'description').replaceAll('`', '')}`,
    })),
    body: `<h1>${escapeHtml(tag)}</h1><p>${prose(description)}</p>${members.map((entry) => section(entry, resolve)).join('')}`,
  }
}

const badge = (method: string) => `<span class="method ${method}">${method.toUpperCase()}</span>`

function section({ path, method, operation }: Entry, resolve: Resolve): string {
  const id = escapeHtml(textAt(operation, 'operationId'))
  const body = resolve(objectAt(operation, 'requestBody', 'content', 'application/json', 'schema'))
  const parameters = listAt(operation, 'parameters')
  const canTry = path.startsWith('/') && !path.startsWith('/hooks/')
  return `<section class="operation" id="${id}">
<h2><a href="#${id}">${prose(textAt(operation, 'summary'))}</a></h2>
<p class="path">${badge(method)} <code>${escapeHtml(path)}</code></p>
<p>${prose(textAt(operation, 'description'))}</p>
${
  parameters.length > 0
    ? table(
        'Parameters',
        parameters.map((each) => parameterRow(each, resolve)),
      )
    : ''
}
${variantsOf(body, resolve)
  .filter(({ properties }) => properties)
  .map((variant) => table(`Body${kindOf(variant)}`, propertyRows(variant, resolve)))
  .join('')}
${answers(objectAt(operation, 'responses'), resolve)}
${canTry ? `<details class="try" data-operation="${id}" data-method="${method}" data-path="${escapeHtml(path)}"><summary>Try it</summary><p>Loading …</p></details>` : ''}</section>`
}

type Resolve = (schema: Json) => Json

const componentPrefix = '#/components/schemas/'

function resolverOf(document: Json): { resolve: Resolve } {
  const schemas = objectAt(document, 'components', 'schemas')
  const resolve = (schema: Json): Json => {
    const { $ref: reference, ...rest } = schema
    if (typeof reference !== 'string') return schema
    return { ...resolve(objectAt(schemas, reference.slice(componentPrefix.length))), ...rest }
  }
  return { resolve }
}

/** The alternatives of a schema, or the schema itself if it has none. */
function variantsOf(schema: Json, resolve: Resolve): Json[] {
  const { anyOf, oneOf } = schema
  const variants = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : null
  return variants ? variants.map((variant) => resolve(objectAt(variant))) : [schema]
}

function kindOf(variant: Json): string {
  const kind = objectAt(variant, 'properties', 'kind').const
  return kind === undefined ? '' : `, <code>${escapeHtml(String(kind))}</code>`
}

const parameterRow = (parameter: Json, resolve: Resolve) =>
  row(
    escapeHtml(textAt(parameter, 'name')),
    `${escapeHtml(textAt(parameter, 'in'))}, ${typeOf(objectAt(parameter, 'schema'), resolve)}`,
    parameter.required === true,
    prose(textAt(parameter, 'description')),
  )

const table = (title: string, rows: readonly string[]) =>
  `<h3>${title}</h3><div class="scroll"><table class="fields"><tbody>${rows.join('')}</tbody></table></div>`

const row = (name: string, type: string, isRequired: boolean, description: string) =>
  `<tr><th scope="row"><code>${name}</code>${isRequired ? '<span class="required">required</span>' : ''}</th><td class="type">${type}</td><td>${description}</td></tr>`

const deepest = 2

function propertyRows(schema: Json, resolve: Resolve, prefix = '', depth = 0, isAnswer = false): string[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, value]) => {
    const property = resolve(objectAt(value))
    const hasDefault = property.default !== undefined && !isObject(property.default) && !isAnswer
    const fallback = hasDefault
      ? ` Default <code>${escapeHtml(JSON.stringify(property.default))}</code>.`
      : ''
    const here = row(
      `${prefix}${escapeHtml(name)}`,
      typeOf(property, resolve),
      required.includes(name) && !isAnswer,
      prose(textAt(property, 'description')) + fallback,
    )
    const inner = property.type === 'array' ? resolve(objectAt(property, 'items')) : property
    const mark = property.type === 'array' ? '[].' : '.'
    return depth < deepest
      ? [here, ...propertyRows(inner, resolve, `${prefix}${escapeHtml(name)}${mark}`, depth + 1, isAnswer)]
      : [here]
  })
}

function typeOf(property: Json, resolve: Resolve): string {
  if (Array.isArray(property.enum))
    return property.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ')
  const variants = variantsOf(property, resolve)
  if (variants.length > 1) return [...new Set(variants.map((each) => typeOf(each, resolve)))].join(' or ')
  if (property.type === 'array') return `list of ${typeOf(resolve(objectAt(property, 'items')), resolve)}`
  if (Array.isArray(property.type)) return property.type.map((each) => escapeHtml(String(each))).join(' or ')
  const { minimum, maximum, maxLength, format } = property
  const bounds =
    typeof minimum === 'number' && typeof maximum === 'number'
      ? ` ${minimum}–${maximum}`
      : typeof maxLength === 'number'
        ? ` up to ${maxLength}`
        : format === 'date-time'
          ? ', time'
          : ''
  return `${escapeHtml(String(property.const ?? property.type ?? 'any'))}${bounds}`
}

function answers(responses: Json, resolve: Resolve): string {
  const isRefusal = ([status]: readonly [string, unknown]) => Number(status) >= 400
  const entries = Object.entries(responses)
  const good = entries
    .filter((entry) => !isRefusal(entry))
    .map(([status, value]) => {
      const schema = resolve(objectAt(value, 'content', 'application/json', 'schema'))
      const example = objectAt(value, 'content', 'application/json').example
      const tables = variantsOf(schema, resolve)
        .filter(({ properties }) => properties)
        .map((variant) =>
          table(`Answer ${status}${kindOf(variant)}`, propertyRows(variant, resolve, '', 0, true)),
        )
      const shown =
        example === undefined
          ? ''
          : `<div class="code"><pre><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre></div>`
      return tables.length > 0
        ? `${tables.join('')}${shown}`
        : `<p class="answer"><span class="status">${escapeHtml(status)}</span> ${prose(textAt(value, 'description'))}</p>`
    })
  const refusals = entries.filter(isRefusal).flatMap(([status, value]) =>
    textAt(value, 'description')
      .split('\n\n')
      .map((line) => `<li><span class="status">${escapeHtml(status)}</span> ${prose(line)}</li>`),
  )
  return `${good.join('')}${refusals.length > 0 ? `<details class="refusals"><summary>${refusals.length} ${refusals.length === 1 ? 'refusal' : 'refusals'}</summary><ul>${refusals.join('')}</ul><p><a href="/docs/errors">What to do about each</a></p></details>` : ''}`
}
