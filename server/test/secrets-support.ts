/** What a thief would look for, and where it must not be. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

/** A text in all forms that would help a thief, including plain hashes if it can be guessed. */
function formsOf(text: string, isGuessable: boolean): string[] {
  const bytes = Buffer.from(text)
  // Base64 depends on the position, so this leaves out the characters that are shared with neighbours.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : shift + 1, -1),
  )
  const hashes = ['sha256', 'sha1', 'md5'].map((name) => createHash(name).update(text).digest('hex'))
  return [text, bytes.toString('hex'), encodeURIComponent(text), ...base64, ...(isGuessable ? hashes : [])]
}

export function assertAbsent(where: string, haystack: string, secret: string, isGuessable: boolean): void {
  for (const form of formsOf(secret, isGuessable)) {
    const at = haystack.indexOf(form)
    assert.equal(at, -1, `${where} holds ${form}: …${haystack.slice(Math.max(0, at - 60), at + 80)}…`)
  }
}

/** Only as a separate run of digits: within longer numbers it may occur by chance. */
export function assertNoCode(where: string, haystack: string, code: string): void {
  const found = new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`).exec(haystack)
  assert.equal(
    found,
    null,
    `${where} holds the code: …${haystack.slice(Math.max(0, (found?.index ?? 0) - 60))}`,
  )
  for (const form of formsOf(code, true).slice(1)) {
    if (form !== code && form.length > 9)
      assert.ok(!haystack.includes(form), `${where} holds the code as ${form}`)
  }
}
