/** The browsable reference: one page, made once from the OpenAPI document, without script. */
import { style } from './reference-style.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectAt = (value: unknown, ...path: string[]): Json => {
  let current: unknown = value
  for (const key of path) current = isObject(current) ? current[key] : undefined
  return isObject(current) ? current : {}
}
const escapeHtml = (text: unknown) =>
  String(text ?? '').replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
/** Backticks in descriptions mark code. */
const prose = (text: unknown) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** Schemas that stand among the components, put where they are referred to. */
function inPlace(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((member) => inPlace(member, schemas))
  if (!isObject(value)) return value
  const { $ref: reference, ...rest } = value
  if (typeof reference === 'string') {
    return { ...objectAt(inPlace(schemas[reference.slice(componentPrefix.length)], schemas)), ...rest }
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inPlace(member, schemas)]))
}
const componentPrefix = '#/components/schemas/'

export function renderReference(source: Json): string {
  const document = { paths: inPlace(source.paths, objectAt(source, 'components', 'schemas')) }
  const operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: objectAt(operation),
    })),
  )
  const tags = Array.isArray(source.tags) ? source.tags.map((tag) => String(objectAt(tag).name)) : []
  const groups = tags.map((tag) => ({
    tag,
    members: operations.filter(
      ({ operation }) => Array.isArray(operation.tags) && operation.tags.includes(tag),
    ),
  }))
  const menu = groups
    .map(({ tag, members }) => `<h2>${tag}</h2><ul>${members.map(menuEntry).join('')}</ul>`)
    .join('')
  const sections = groups.map(({ members }) => members.map(section).join('')).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API reference</title><style>${style}</style></head>
<body><nav aria-label="Endpoints"><p class="brand">Countersign</p>${menu}</nav>
<main><h1>API reference</h1>
<p class="lead">JSON over HTTPS. Authenticate with <code>Authorization: Bearer &lt;key&gt;</code>. Every answer carries
<code>X-Request-Id</code>; every refusal has one body: <code>{"error": {"type", "message", "details"}, "request_id"}</code>.
The same as a document: <a href="/api/v1/openapi.json">openapi.json</a>.</p>${sections}</main></body></html>`
}

interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: Json
}

const menuEntry = ({ path, method, operation }: Entry) =>
  `<li><a href="#${escapeHtml(operation.operationId)}"><span class="method ${method}">${method}</span> ${escapeHtml(shortPath(path))}</a></li>`

const shortPath = (path: string) => path.replace(/^\/(api|manage)\/v1/, '')

const accessWords: Readonly<Record<string, string>> = {
  key: 'server or publishable key',
  serverKey: 'server key',
  operator: 'operator’s token',
}

function section({ path, method, operation }: Entry): string {
  const [scheme = ''] = Array.isArray(operation.security) ? Object.keys(objectAt(operation.security[0])) : []
  const body = objectAt(operation, 'requestBody', 'content', 'application/json', 'schema')
  const parameters = Array.isArray(operation.parameters)
    ? operation.parameters.map((entry) => objectAt(entry))
    : []
  return `<section id="${escapeHtml(operation.operationId)}">
<h3>${prose(operation.summary)}</h3>
<p class="path"><span class="method ${method}">${method}</span> <code>${escapeHtml(path)}</code> <span class="access">${accessWords[scheme] ?? ''}</span></p>
${parameters.length > 0 ? table('Parameters', parameters.map(parameterRow)) : ''}
${variantsOf(body)
  .filter(({ properties }) => properties)
  .map((variant) => table(`Body${kindOf(variant)}`, propertyRows(variant)))
  .join('')}
${answers(objectAt(operation, 'responses'))}</section>`
}

/** One schema, or each of those that it may be. */
function variantsOf(schema: Json): Json[] {
  const { anyOf, oneOf } = schema
  const variants = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [schema]
  return variants.map((variant) => objectAt(variant))
}

function kindOf(variant: Json): string {
  const kind = objectAt(variant, 'properties', 'kind').const
  return kind === undefined ? '' : `, <code>${escapeHtml(kind)}</code>`
}

const parameterRow = (parameter: Json) =>
  row(
    `${escapeHtml(parameter.name)}`,
    `${escapeHtml(parameter.in)}`,
    parameter.required === true,
    prose(parameter.description),
  )

const table = (title: string, rows: readonly string[]) =>
  `<h4>${title}</h4><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div>`

const row = (name: string, type: string, isRequired: boolean, description: string) =>
  `<tr><th scope="row"><code>${name}</code>${isRequired ? '<abbr title="required">*</abbr>' : ''}</th><td class="type">${type}</td><td>${description}</td></tr>`

const deepest = 2

function propertyRows(schema: Json, prefix = '', depth = 0): string[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, value]) => {
    const property = objectAt(value)
    const fallback =
      property.default === undefined || isObject(property.default)
        ? ''
        : ` Default <code>${escapeHtml(JSON.stringify(property.default))}</code>.`
    const here = row(
      `${prefix}${escapeHtml(name)}`,
      typeOf(property),
      required.includes(name),
      prose(property.description) + fallback,
    )
    return depth < deepest
      ? [here, ...propertyRows(property, `${prefix}${escapeHtml(name)}.`, depth + 1)]
      : [here]
  })
}

function typeOf(property: Json): string {
  if (Array.isArray(property.enum))
    return property.enum.map((value) => `<code>${escapeHtml(value)}</code>`).join(' ')
  const variants = variantsOf(property)
  if (variants.length > 1) return [...new Set(variants.map(typeOf))].join(' or ')
  if (property.type === 'array') return `list of ${typeOf(objectAt(property, 'items'))}`
  if (Array.isArray(property.type)) return property.type.map(escapeHtml).join(' or ')
  const { minimum, maximum } = property
  const bounds =
    typeof minimum === 'number' && typeof maximum === 'number' && maximum < 1e9
      ? ` ${minimum}–${maximum}`
      : ''
  return `${escapeHtml(property.const ?? property.type ?? 'object')}${bounds}`
}

function answers(responses: Json): string {
  const isRefusal = ([status]: readonly [string, unknown]) => Number(status) >= 400
  const entries = Object.entries(responses)
  return [...entries.filter((entry) => !isRefusal(entry)), ...entries.filter(isRefusal)]
    .map(([status, value]) => {
      const schema = objectAt(value, 'content', 'application/json', 'schema')
      if (Number(status) >= 400) {
        return `<p class="refusal"><span class="status">${status}</span> ${escapeHtml(objectAt(value).description)}</p>`
      }
      return variantsOf(schema)
        .map((variant) =>
          table(`Answer ${status}${kindOf(variant)}`, propertyRows({ ...variant, required: [] })),
        )
        .join('')
    })
    .join('')
}
