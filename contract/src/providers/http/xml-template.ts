/** An XML document with values in its text and in its attributes, and nowhere else. */
import { type Parsed, parseTemplate, type Template } from './template.ts'

const NAME = /^[A-Za-z_][\w.:-]{0,100}$/
const ATTRIBUTE = /^([A-Za-z_][\w.:-]{0,100})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')(?:\s+|$)/
const maxDepth = 50

/** Well-formed enough that escaping keeps each value in its place. Comments, CDATA and DTDs are refused. */
export function parseXml(text: string): Parsed<Template> {
  const problem = findProblem(text.trim())
  return problem === null ? parseTemplate(text.trim()) : { problem }
}

function findProblem(text: string): string | null {
  const open: string[] = []
  let at = prologEnd(text)
  let elements = 0
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    const between = tag === -1 ? text.slice(at) : text.slice(at, tag)
    if (open.length === 0 && between.trim() !== '') return 'has text outside of its element'
    if (hasLooseAmpersand(between)) return 'has an & that begins no &amp; or &#38; or the like'
    if (tag === -1) break
    const end = endOfTag(text, tag)
    if (end === -1) return 'has a tag that does not end'
    const wrong = judgeTag(text.slice(tag + 1, end), open)
    if (wrong) return wrong
    if (open.length > maxDepth) return `is nested more than ${maxDepth} deep`
    if (open.length === 0) elements++
    at = end + 1
  }
  if (open.length > 0) return `does not close ${open.at(-1)}`
  return elements === 1 ? null : 'is one element with what is in it'
}

/** Another encoding is refused, since what is sent is UTF-8. */
const DECLARATION =
  /^<\?xml\s+version=(?:"1\.[01]"|'1\.[01]')(?:\s+encoding=(?:"utf-8"|'utf-8'))?(?:\s+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/i

const prologEnd = (text: string): number => DECLARATION.exec(text)?.[0].length ?? 0

/** Where the tag's `>` is, outside of quotes. */
function endOfTag(text: string, from: number): number {
  let quote = ''
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '>') return at
  }
  return -1
}

/** Opens or closes an element; returns what is wrong with the tag. */
function judgeTag(tag: string, open: string[]): string | null {
  if (tag.startsWith('!') || tag.startsWith('?'))
    return 'may have no comment, CDATA, DTD or instruction, and no declaration but of XML in UTF-8'
  if (tag.startsWith('/')) {
    const name = tag.slice(1).trimEnd()
    return open.pop() === name ? null : `closes ${name}, which is not the one that is open`
  }
  const isEmpty = tag.endsWith('/')
  const inside = isEmpty ? tag.slice(0, -1) : tag
  const space = inside.search(/\s/)
  const name = space === -1 ? inside : inside.slice(0, space)
  if (!NAME.test(name)) return `has a tag with no good name: ${name}`
  if (!isEmpty) open.push(name)
  return judgeAttributes(space === -1 ? '' : inside.slice(space).trim())
}

function judgeAttributes(text: string): string | null {
  const names = new Set<string>()
  let rest = text
  while (rest !== '') {
    const match = ATTRIBUTE.exec(rest)
    if (!match) return 'has an attribute that is not name="value"'
    const [whole, name = '', double, single] = match
    if (names.has(name)) return `has ${name} twice in one tag`
    if (hasLooseAmpersand(double ?? single ?? '')) return 'has an & that begins no &amp; or &#38; or the like'
    names.add(name)
    rest = rest.slice(whole.length)
  }
  return null
}

const ENTITY = /^&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});/

function hasLooseAmpersand(text: string): boolean {
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (!ENTITY.test(text.slice(at, at + 12))) return true
  }
  return false
}
