/** Lets people try an operation on its page: a form that is sent to this service, and the same call for a shell. */
import { bodyExample, type Json, listAt, operationAt, textAt } from './document.ts'

const keyName = 'countersign.docs.key'
let description: Promise<Json> | null = null
const loadDescription = (): Promise<Json> => {
  description ??= fetch('/api/v1/openapi.json').then((answer) => answer.json())
  return description
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...children)
  return element
}

let fields = 0
function labelled(text: string, control: HTMLElement): HTMLElement {
  fields++
  control.id = `try-${fields}`
  return make('p', { class: 'field' }, make('label', { for: control.id }, text), control)
}

/** The key is kept for this tab only, since it is as secret as a password. */
function keptKey(): string {
  try {
    return sessionStorage.getItem(keyName) ?? ''
  } catch {
    return ''
  }
}
function keepKey(key: string): void {
  try {
    sessionStorage.setItem(keyName, key)
  } catch {
    // Storage may be forbidden; the key has to be given again on the next page.
  }
}

const keyWords: Readonly<Record<string, string>> = {
  key: 'Server key or publishable key',
  serverKey: 'Server key',
  operator: 'Operator’s token',
}

interface Call {
  readonly method: string
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function shellOf({ method, address, headers, body }: Call): string {
  const shown = Object.entries(headers).map(
    ([name, value]) => `  -H ${quoted(`${name}: ${name === 'Authorization' ? 'Bearer …' : value}`)}`,
  )
  return [
    `curl -X ${method} ${quoted(`${location.origin}${address}`)}`,
    ...shown,
    ...(body === null ? [] : [`  -d ${quoted(body)}`]),
  ].join(' \\\n')
}

async function perform({ method, address, headers, body }: Call): Promise<string> {
  const startedAt = performance.now()
  // Without the cookie of the dashboard's session: the call shows what the key may do.
  const answer = await fetch(address, { method, headers, body, credentials: 'omit' })
  const text = await answer.text()
  const ms = Math.round(performance.now() - startedAt)
  const retry = answer.headers.get('retry-after')
  const head = `${answer.status} ${answer.statusText} · ${ms} ms${retry ? ` · Retry-After: ${retry}` : ''}`
  return `${head}\n\n${prettified(text)}`
}

function prettified(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function controlsOf(operation: Json) {
  return listAt(operation, 'parameters').map((parameter) => {
    const name = textAt(parameter, 'name')
    const place = textAt(parameter, 'in')
    const control = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
    if (place === 'path') control.required = true
    const example = textAt(parameter, 'example')
    if (example) control.placeholder = example
    return { name, place, control }
  })
}

type Controls = ReturnType<typeof controlsOf>

/** The fields of a form for one operation, as they are filled in. */
interface Fields {
  readonly method: string
  readonly path: string
  readonly key: HTMLInputElement
  readonly controls: Controls
  /** Null if the operation has no body. */
  readonly body: HTMLTextAreaElement | null
}

function callOf({ method, path, key, controls, body }: Fields): Call {
  const inPath = controls.reduce(
    (address, { name, place, control }) =>
      place === 'path' ? address.replace(`{${name}}`, encodeURIComponent(control.value.trim())) : address,
    path,
  )
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { name, place, control } of controls) {
    if (control.value === '') continue
    if (place === 'query') query.set(name, control.value)
    if (place === 'header') headers[name] = control.value
  }
  if (key.value !== '') headers.Authorization = `Bearer ${key.value.trim()}`
  if (body) headers['Content-Type'] = 'application/json'
  const asked = query.toString()
  const address = asked === '' ? inPath : `${inPath}?${asked}`
  return { method: method.toUpperCase(), address, headers, body: body ? body.value : null }
}

async function fill(details: HTMLDetailsElement): Promise<void> {
  const { method = '', path = '' } = details.dataset
  const document = await loadDescription()
  const operation = operationAt(document, path, method)
  const schemes = listAt(operation, 'security').flatMap((scheme) => Object.keys(scheme))
  const isSessionOnly = schemes.length > 0 && schemes.every((scheme) => scheme === 'session')
  const words = schemes.flatMap((scheme) => keyWords[scheme] ?? [])
  const shown = isSessionOnly
    ? make('p', {}, 'Only for people who are signed in to the dashboard, which makes this call.')
    : formOf(fieldsOf(method, path, document, operation), words[0])
  replaceBelowSummary(details, shown)
}

function replaceBelowSummary(details: HTMLDetailsElement, shown: Node | string): void {
  details.replaceChildren(...[...details.children].slice(0, 1), shown)
}

function fieldsOf(method: string, path: string, document: Json, operation: Json): Fields {
  const key = make('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
  key.value = keptKey()
  const body = 'requestBody' in operation ? make('textarea', { rows: '8', spellcheck: 'false' }) : null
  if (body) body.value = JSON.stringify(bodyExample(document, operation), null, 2)
  return { method, path, key, controls: controlsOf(operation), body }
}

/** `keyLabel` says which key the call takes; undefined if it takes none. */
function formOf(fields: Fields, keyLabel: string | undefined): HTMLFormElement {
  const { key, controls, body } = fields
  const shell = make('code')
  const answer = make('code')
  const send = make('button', { type: 'submit', class: 'call' }, 'Send')
  const form = make(
    'form',
    {},
    ...(keyLabel === undefined ? [] : [labelled(keyLabel, key)]),
    ...controls.map(({ name, control }) => labelled(name, control)),
    ...(body ? [labelled('Body', body)] : []),
    make(
      'p',
      { class: 'note' },
      'This is a real call to this service: with a real key, real messages are sent and charged. In the sandbox the key is in .data/first-app.json, and messages arrive on the simulator’s phones.',
    ),
    make('p', {}, send),
    make('h3', {}, 'As a command'),
    make('pre', { class: 'shell', tabindex: '0' }, shell),
    make('pre', { class: 'result', role: 'status', tabindex: '0' }, answer),
  )
  const showShell = () => {
    shell.textContent = shellOf(callOf(fields))
  }
  form.addEventListener('input', showShell)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    keepKey(key.value)
    send.disabled = true
    answer.textContent = '…'
    answer.textContent = await perform(callOf(fields)).catch(
      (error: unknown) =>
        `No answer: ${error instanceof Error ? error.message : 'the service cannot be reached'}`,
    )
    send.disabled = false
  })
  showShell()
  return form
}

for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('form')) return
    fill(details).catch(() => replaceBelowSummary(details, 'The description of the API could not be loaded.'))
  })
}
