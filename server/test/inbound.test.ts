/** A WhatsApp message that approves: who may send it, and how it may be written. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { Capture, whatsappNumber } from './harness/capture.ts'
import { createTenant, freshPhone, status } from './harness/fixtures.ts'
import { startTwoNodeService } from './harness/service.ts'
import { write } from './harness/whatsapp.ts'
import { linkSettings, linksOf } from './inbound-support.ts'

const otherNumber = '15550002222'
const capture = new Capture()
const service = await startTwoNodeService({
  capture,
  builtIn: () => [
    ...capture.providers(),
    ...capture.providers(['whatsapp']).map((provider) => ({
      ...provider,
      providerId: 'capture-other',
      whatsappNumber: otherNumber,
      priority: 200,
    })),
    ...capture.providers(['whatsapp']).map((provider) => ({
      ...provider,
      providerId: 'capture-theirs',
      companyId: newId('company', 0),
    })),
  ],
})
after(service.close)
const { nodes } = service
const tenant = await createTenant(nodes[0], { ...linkSettings('link_inbound'), max_sends: 10 })
const { stateOf, assertNothingHappened, assertApprovedOnce, ...links } = linksOf(service, tenant)

async function linked(recipient?: string, extra?: object) {
  const made = await links.linked(recipient, extra)
  return { ...made, reference: /[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/.exec(made.text)?.[0] ?? '' }
}

test('a send in link mode sends nothing and answers with a link that holds an unguessable reference', async () => {
  const { answer, recipient, text, reference, otpId } = await linked()
  assert.equal(answer.channel, 'whatsapp')
  assert.equal(answer.completion, 'inbound')
  assert.ok(answer.action_url.startsWith(`https://wa.me/${whatsappNumber}?text=`))
  assert.match(text, /Acme/)
  assert.equal(reference.replaceAll('-', '').length, 16)
  assert.deepEqual((await status(nodes[0], tenant.serverKey, otpId)).body.deliveries, [])
  assert.deepEqual(nodes[0].capture.to(recipient), [])
})

test('the recipient’s message approves, with one event, and the answer is the same on both nodes', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: recipient, text })
  await assertApprovedOnce(otpId)
  const [first, second] = await Promise.all(nodes.map((node) => status(node, tenant.serverKey, otpId)))
  assert.deepEqual(first?.body, second?.body)
  assert.match(first?.body.verified_at, /Z$/)
  assert.equal(first?.body.action_url, null)
})

test('the reference is found whatever the case, the spacing, the dashes and the words around it', async () => {
  const spellings: ((reference: string) => string)[] = [
    (reference) => reference,
    (reference) => reference.toLowerCase(),
    (reference) => reference.replaceAll('-', ''),
    (reference) => reference.replaceAll('-', ' '),
    (reference) => reference.replaceAll('-', '‑'),
    (reference) => reference.replaceAll('-', '').split('').join(' '),
    (reference) => `\n\n  ${reference.replaceAll('-', ' - ')}\u00a0\u200b`,
    (reference) => `hello!! ${reference}, thanks 👍`,
    (reference) => `Referência:${reference.toLowerCase()}.`,
    (reference) => reference.replaceAll('0', 'O').replaceAll('1', 'l'),
    (reference) => `${'ABCDEFGH '.repeat(20)}${reference}${' 0123'.repeat(20)}`,
  ]
  for (const spell of spellings) {
    const { otpId, recipient, reference } = await linked()
    await write(nodes[0], { from: recipient, text: spell(reference) })
    await assertApprovedOnce(otpId)
  }
})

test('the link’s text carries its reference in every language', async () => {
  for (const locale of ['en', 'de', 'pt-BR', 'ja', 'ar', 'ru', 'hi']) {
    const { otpId, recipient, text } = await linked(freshPhone(), { locale })
    await write(nodes[0], { from: recipient, text })
    await assertApprovedOnce(otpId)
  }
})

test('numbers that WhatsApp spells differently in Brazil, Mexico and Argentina are the same person', async () => {
  for (const [recipient, sender] of [
    ['+5511987654321', '+551187654321'],
    ['+5511987654321', '+5511987654321'],
    ['+525512345678', '+5215512345678'],
    ['+525512345678', '+525512345678'],
    ['+5491123456789', '+541123456789'],
    ['+5491123456789', '+5491123456789'],
    ['+541123456789', '+5491123456789'],
  ] as const) {
    const { otpId, text } = await linked(recipient)
    await write(nodes[0], { from: sender, text })
    await assertApprovedOnce(otpId)
  }
})

test('nobody else approves, not even from a number that is almost the same', async () => {
  for (const [recipient, senders] of [
    ['+447400900123', ['+447400900124', '+4474009001230', '+47400900123', '447400900123 ', '', '+']],
    ['+5511987654321', ['+552187654321', '+5511887654321', '+55119876543210']],
    ['+551123456789', ['+5511923456789']],
    ['+525512345678', ['+5225512345678', '+5215512345679']],
    ['+5491123456789', ['+5491123456788', '+5481123456789']],
  ] as const) {
    const { otpId, text } = await linked(recipient)
    for (const sender of senders) await write(nodes[0], { from: sender, text })
    await assertNothingHappened(otpId)
  }
})

test('a message without a sender never approves', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: null, text })
  await write(nodes[0], { from: null, text: `${text} ${recipient}` })
  await assertNothingHappened(otpId)
})

test('a wrong, cut or foreign reference approves nothing', async () => {
  const { otpId, recipient, reference } = await linked()
  const other = await linked()
  const plain = reference.replaceAll('-', '')
  for (const text of [
    '',
    'hello',
    plain.slice(1),
    plain.slice(0, -1),
    [...plain].reverse().join(''),
    otpId,
    other.text,
  ]) {
    await write(nodes[0], { from: recipient, text })
  }
  await write(nodes[0], { from: recipient, text: `${'x'.repeat(100_000)} ${plain}` })
  await assertNothingHappened(otpId)
  await assertNothingHappened(other.otpId)
})

test('a message that another company says it got on the same number approves nothing', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: recipient, text, provider: 'capture-theirs' })
  await assertNothingHappened(otpId)
  await write(nodes[0], { from: recipient, text })
  await assertApprovedOnce(otpId)
})

test('a message to another number of ours approves nothing', async () => {
  const { otpId, recipient, text } = await linked()
  await write(nodes[0], { from: recipient, text, provider: 'capture-other' })
  await assertNothingHappened(otpId)
})
