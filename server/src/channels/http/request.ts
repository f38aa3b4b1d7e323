/** Builds the request for a message from the templates of its account. */
import {
  type JsonTemplate,
  type PairsTemplate,
  type Parsed,
  type PathTemplate,
  parseHeader,
  parseJsonTemplate,
  parsePairs,
  parsePath,
  parseXml,
  type Template,
} from '@countersign/contract'
import type { HttpRequest } from '../../platform/http-client.ts'
import { joinUrl } from '../base-url.ts'
import { type Shown, showCredential, withQuery } from './credential.ts'
import { renderForm, renderHeader, renderJson, renderPath, renderXml } from './render.ts'
import type { Gateway } from './settings.ts'
import type { Values } from './values.ts'

type BodyTemplate =
  | { readonly type: 'json'; readonly template: JsonTemplate }
  | { readonly type: 'form'; readonly pairs: PairsTemplate }
  | { readonly type: 'xml'; readonly template: Template }

const contentTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'application/xml; charset=utf-8',
} as const

/** The templates, parsed once when the account is opened. */
export interface RequestTemplate {
  readonly path: PathTemplate
  readonly headers: readonly (readonly [name: string, value: Template])[]
  readonly body: BodyTemplate | null
}

export function compileRequest(gateway: Gateway): RequestTemplate {
  return {
    path: good(parsePath(gateway.path)),
    headers: Object.entries(gateway.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      good(parseHeader(value)),
    ]),
    body: compileBody(gateway),
  }
}

function compileBody({ method, body_type, body = '' }: Gateway): BodyTemplate | null {
  if (method === 'GET' || body_type === 'none') return null
  if (body_type === 'form') return { type: 'form', pairs: good(parsePairs(body)) }
  if (body_type === 'xml') return { type: 'xml', template: good(parseXml(body)) }
  return { type: 'json', template: good(parseJsonTemplate(body)) }
}

/** Throws only for a bug, since settings were checked before they were stored. */
function good<Result>(parsed: Parsed<Result>): Result {
  if ('problem' in parsed) throw new Error('a template cannot be read')
  return parsed.result
}

/** Null if a value does not fit into the URL: see `renderPath`. */
export function renderRequest(
  gateway: Gateway,
  { path, headers, body }: RequestTemplate,
  values: Values,
  isMasked = false,
): HttpRequest | null {
  const rendered = renderPath(path, values)
  if (rendered === null) return null
  const shown = showCredential(gateway, isMasked)
  return {
    method: gateway.method,
    url: withQuery(addressOf(gateway.base_url ?? '', rendered), shown.query),
    headers: {
      accept: 'application/json, */*;q=0.5',
      ...(body === null ? {} : { 'content-type': contentTypes[body.type] }),
      ...Object.fromEntries(headers.map(([name, value]) => [name, renderHeader(value, values)])),
      ...shown.headers,
    },
    body: body === null ? null : renderBody(body, values, shown.body),
  }
}

const addressOf = (baseUrl: string, path: string) =>
  path.startsWith('/') ? joinUrl(baseUrl, path.slice(1)) : `${baseUrl}${path}`

function renderBody(body: BodyTemplate, values: Values, credential: Shown['body']): string {
  const secret: Template = credential === null ? [] : [credential[1]]
  switch (body.type) {
    case 'xml':
      return renderXml(body.template, values)
    case 'form':
      return renderForm(credential === null ? body.pairs : [...body.pairs, [credential[0], secret]], values)
    case 'json': {
      const { template } = body
      if (credential === null || template.kind !== 'object') return renderJson(template, values)
      const field = [credential[0], { kind: 'text', template: secret }] as const
      return renderJson({ kind: 'object', fields: [...template.fields, field] }, values)
    }
  }
}
