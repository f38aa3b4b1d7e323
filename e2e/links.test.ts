import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openingBalance, prices, type TestApp } from './harness/app.ts'
import { newPhone, respelledPhones } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { codeIn } from './harness/simulator.ts'
import { arrivalMs, throughout } from './harness/wait.ts'

const service = useService()

type LinkMode = 'link_code' | 'link_inbound'

const linkSettings = (mode: LinkMode) => ({
  routing: { default: ['whatsapp', 'sms', 'telegram'] },
  channels: { whatsapp: { mode } },
})

/** What tapping the link does: it opens a chat with this number, with this text filled in. */
function readLink(actionUrl: string | null): { number: string; text: string; reference: string } {
  assert.ok(actionUrl, 'there must be a link')
  const { origin, pathname, searchParams } = new URL(actionUrl)
  assert.equal(origin, 'https://wa.me')
  const text = searchParams.get('text') ?? ''
  const reference = /([0-9A-Z]{4}-?){4,}/.exec(text)?.[0]
  assert.ok(reference, 'the text must carry a reference')
  return { number: `+${pathname.slice(1)}`, text, reference }
}

async function openLink(mode: LinkMode, recipient = newPhone(), locale = 'en') {
  const app = await service().createApp(linkSettings(mode))
  const sent = await app.send({ recipient, locale })
  assert.deepEqual([sent.channel, sent.status], ['whatsapp', 'pending'])
  return { app, recipient, sent, otpId: sent.otp_id, link: readLink(sent.action_url) }
}

async function assertUntouched(app: TestApp, otpId: string): Promise<void> {
  const { status, deliveries, verified_at: verifiedAt } = await app.status(otpId)
  assert.deepEqual(
    { status, deliveries, verifiedAt },
    { status: 'pending', deliveries: [], verifiedAt: null },
  )
}

describe('a link that the message answers with a code', { concurrency: 8 }, () => {
  test('nothing is sent and nothing is paid until the person writes; the reply has the code', async () => {
    const { simulator } = service()
    const { app, recipient, sent, otpId, link } = await openLink('link_code', newPhone(), 'de')
    assert.equal(sent.completion, 'code')
    assert.match(link.text, /Acme Shop bestätigen/)
    assert.equal(await app.balance(), openingBalance)
    await assertUntouched(app, otpId)
    assert.deepEqual(await simulator.messages(recipient), [])

    await simulator.write(recipient, link.number, link.text)
    const reply = await simulator.arrived(recipient, 'whatsapp')
    assert.match(reply.text, /ist Ihr Code für Acme Shop/)
    assert.equal(reply.from, link.number)
    await app.delivery(otpId, 'delivered')
    assert.equal((await app.status(otpId)).sends_remaining, 9, 'an answer is no send attempt')
    const verdict = await app.verify(otpId, codeIn(reply.text))
    assert.deepEqual([verdict.matched, verdict.channel], [true, 'whatsapp'])
    assert.equal(await app.balance(), openingBalance)
  })

  test('writing again brings the same code again, a few times and no more', async () => {
    const { simulator } = service()
    const { app, recipient, otpId, link } = await openLink('link_code')
    for (let count = 1; count <= 3; count++) {
      await simulator.write(recipient, link.number, link.text)
      await simulator.arrived(recipient, 'whatsapp', count)
    }
    await simulator.write(recipient, link.number, link.text)
    assert.equal((await app.status(otpId)).deliveries.length, 3)
    const codes = (await simulator.messages(recipient)).map(({ text }) => codeIn(text))
    assert.equal(new Set(codes).size, 1)
    assert.equal((await app.verify(otpId, codes[0] ?? '')).matched, true)
  })

  test('a code that was never asked for by message cannot be known, and a guess is only a guess', async () => {
    const { app, otpId } = await openLink('link_code')
    assert.equal((await app.verify(otpId, '000000')).attempts_remaining, 4)
  })

  test('a reply that the carrier holds up arrives when the carrier is back', async () => {
    const { simulator } = service()
    const { app, recipient, otpId, link } = await openLink('link_code')
    await simulator.behave(recipient, 'whatsapp', 'error')
    await simulator.write(recipient, link.number, link.text)
    await app.delivery(otpId, 'queued')
    await simulator.behave(recipient, 'whatsapp', 'deliver')
    const { text } = await simulator.arrived(recipient, 'whatsapp')
    assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
  })
})

describe('a link that the message itself approves', { concurrency: 8 }, () => {
  test('the message approves, there is no code, and nothing is ever paid', async () => {
    const { simulator } = service()
    const { app, recipient, sent, otpId, link } = await openLink('link_inbound')
    assert.equal(sent.completion, 'inbound')
    const early = await app.refusedVerify(otpId, '123456')
    assert.deepEqual([early.status, early.body.error.type], [409, 'CodeNotExpectedError'])

    await simulator.write(recipient, link.number, link.text)
    const status = await app.status(otpId)
    assert.equal(status.status, 'approved')
    assert.ok(status.verified_at)
    assert.deepEqual(status.deliveries, [])
    assert.equal(await app.balance(), openingBalance)
    const late = await app.refusedVerify(otpId, '123456')
    assert.deepEqual([late.status, late.body.error.type], [409, 'OtpNotPendingError'])
  })

  test('the same message once more changes nothing', async () => {
    const { simulator } = service()
    const { app, recipient, otpId, link } = await openLink('link_inbound')
    await simulator.write(recipient, link.number, link.text)
    const approved = await app.status(otpId)
    await simulator.write(recipient, link.number, link.text)
    assert.deepEqual(await app.status(otpId), approved)
  })

  test('two messages at once are one approval', async () => {
    const { simulator } = service()
    const { app, recipient, otpId, link } = await openLink('link_inbound')
    await Promise.all(Array.from({ length: 5 }, () => simulator.write(recipient, link.number, link.text)))
    const approved = await app.status(otpId)
    assert.equal(approved.status, 'approved')
    await throughout(arrivalMs, async () => assert.deepEqual(await app.status(otpId), approved))
  })
})

const variants: Readonly<Record<string, (text: string, reference: string) => string>> = {
  'in small letters': (text) => text.toLowerCase(),
  'in capitals': (text) => text.toUpperCase(),
  'without its dashes': (_, reference) => reference.replaceAll('-', ''),
  'with spaces for its dashes': (_, reference) => `ref ${reference.replaceAll('-', ' ')}`,
  'spread over lines': (_, reference) => reference.split('-').join('\n'),
  'with words around it': (text) => `Hello!\n\n${text}. Thank you, and good bye.`,
  'with a space after every character': (_, reference) => [...reference].join(' '),
}

describe('what a person may do to the text of a link', { concurrency: 8 }, () => {
  for (const [name, change] of Object.entries(variants)) {
    for (const mode of ['link_code', 'link_inbound'] as const) {
      test(`${mode}: the reference counts ${name}`, async () => {
        const { simulator } = service()
        const { app, recipient, otpId, link } = await openLink(mode)
        await simulator.write(recipient, link.number, change(link.text, link.reference))
        if (mode === 'link_inbound') assert.equal((await app.status(otpId)).status, 'approved')
        else {
          const { text } = await simulator.arrived(recipient, 'whatsapp')
          assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
        }
      })
    }
  }

  for (const [who, newNumber] of Object.entries(respelledPhones)) {
    for (const mode of ['link_code', 'link_inbound'] as const) {
      test(`${mode}: ${who} is known in the spelling of WhatsApp`, async () => {
        const { simulator } = service()
        const recipient = newNumber()
        const { app, otpId, link } = await openLink(mode, recipient)
        await simulator.write(recipient, link.number, link.text)
        if (mode === 'link_inbound') assert.equal((await app.status(otpId)).status, 'approved')
        else {
          const { text } = await simulator.arrived(recipient, 'whatsapp')
          assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
        }
      })
    }
  }
})

describe('a message that must not count', { concurrency: 8 }, () => {
  for (const mode of ['link_code', 'link_inbound'] as const) {
    test(`${mode}: from another number`, async () => {
      const { simulator } = service()
      const { app, recipient, otpId, link } = await openLink(mode)
      const stranger = newPhone()
      await simulator.write(stranger, link.number, link.text)
      await assertUntouched(app, otpId)
      assert.deepEqual(await simulator.messages(stranger), [])
      assert.deepEqual(await simulator.messages(recipient), [])
    })

    test(`${mode}: from nobody that WhatsApp would name`, async () => {
      const { simulator } = service()
      const { app, otpId, link } = await openLink(mode)
      await simulator.write(null, link.number, link.text)
      await assertUntouched(app, otpId)
    })

    test(`${mode}: to another number of the business`, async () => {
      const { simulator } = service()
      const { app, recipient, otpId, link } = await openLink(mode)
      await simulator.write(recipient, '+15550002222', link.text)
      await assertUntouched(app, otpId)
    })

    test(`${mode}: with a reference that one character sets apart, or cut short, or missing`, async () => {
      const { simulator } = service()
      const { app, recipient, otpId, link } = await openLink(mode)
      const last = link.reference.replace(/-$/, '').slice(-1)
      const changed = link.reference.replace(/.(-?)$/, `${last === '7' ? '8' : '7'}$1`)
      for (const text of [
        link.text.replace(link.reference, changed),
        link.text.replace(link.reference, link.reference.slice(0, -2)),
        'Hello, it is me',
        otpId,
      ]) {
        await simulator.write(recipient, link.number, text)
      }
      await assertUntouched(app, otpId)
    })

    test(`${mode}: with the reference of somebody else's link`, async () => {
      const { simulator } = service()
      const mine = await openLink(mode)
      const theirs = await openLink(mode)
      await simulator.write(mine.recipient, mine.link.number, theirs.link.text)
      await assertUntouched(mine.app, mine.otpId)
      await assertUntouched(theirs.app, theirs.otpId)
    })

    test(`${mode}: after the verification has moved to another channel`, async () => {
      const { simulator } = service()
      const { app, recipient, otpId, link } = await openLink(mode)
      const moved = await app.resend(otpId, 'sms')
      assert.deepEqual([moved.channel, moved.action_url, moved.completion], ['sms', null, 'code'])
      const { text } = await simulator.arrived(recipient, 'sms')
      await simulator.write(recipient, link.number, link.text)
      const status = await app.status(otpId)
      assert.deepEqual([status.status, status.deliveries.length], ['pending', 1])
      assert.deepEqual(await simulator.messages(recipient, 'whatsapp'), [])
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      assert.equal(await app.balance(), openingBalance - prices.sms)
    })

    test(`${mode}: for a link that a newer one has replaced`, async () => {
      const { simulator } = service()
      const { app, recipient, sent, otpId, link } = await openLink(mode)
      const again = await app.resend(otpId, 'whatsapp')
      assert.notEqual(again.action_url, sent.action_url)
      await simulator.write(recipient, link.number, link.text)
      await assertUntouched(app, otpId)
      const newer = readLink(again.action_url)
      await simulator.write(recipient, newer.number, newer.text)
      if (mode === 'link_inbound') assert.equal((await app.status(otpId)).status, 'approved')
      else {
        const { text } = await simulator.arrived(recipient, 'whatsapp')
        assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      }
    })
  }

  test('for a verification that has failed', async () => {
    const { simulator } = service()
    const { app, recipient, otpId, link } = await openLink('link_code')
    for (let guess = 0; guess < 5; guess++) await app.verify(otpId, String(guess).padStart(6, '0'))
    assert.equal((await app.status(otpId)).status, 'failed')
    await simulator.write(recipient, link.number, link.text)
    const { status, deliveries } = await app.status(otpId)
    assert.deepEqual([status, deliveries], ['failed', []])
  })

  test('a plain resend on a link gives the same link again and spends nothing', async () => {
    const { simulator } = service()
    const { app, recipient, sent, otpId, link } = await openLink('link_inbound')
    const again = await app.resend(otpId)
    assert.equal(again.action_url, sent.action_url)
    assert.equal((await app.status(otpId)).sends_remaining, 9)
    await simulator.write(recipient, link.number, link.text)
    assert.equal((await app.status(otpId)).status, 'approved')
  })

  test('opening every address that the service gave out changes nothing', async () => {
    const { running } = service()
    const { app, otpId, link } = await openLink('link_inbound')
    for (const path of ['', `/hooks/simulator-whatsapp?text=${encodeURIComponent(link.text)}`]) {
      await fetch(`${running.url}${path}`)
    }
    await app.status(otpId)
    await assertUntouched(app, otpId)
  })
})
