/** What the pictures show: a small company with people, problems and an attack, made through the APIs. */
import type { Page } from 'playwright-core'
import { Backend } from '../harness/app.ts'
import type { RunningService } from '../harness/process.ts'
import { serviceOf } from '../harness/service.ts'
import { codeIn } from '../harness/simulator.ts'

export interface Story {
  readonly companyId: string
  readonly appId: string
  /** A verification that went to another channel before it was approved. */
  readonly otpId: string
  readonly person: string
}

const countries = ['+4474005551', '+4915123450', '+3361234500', '+3467123400', '+3161234500']
const people = 36
const attacked = 70

export async function tellStory(running: RunningService): Promise<Story> {
  const { caller, simulator } = serviceOf(running)
  const manage = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await caller.call<Body>(method, `/manage/v1${path}`, {
      key: running.adminToken,
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { company_id: companyId } = await manage<{ company_id: string }>('POST', '/companies', {
    name: 'Harbour Ltd',
    balance: '250',
  })
  const { app_id: appId } = await manage<{ app_id: string }>('POST', `/companies/${companyId}/apps`, {
    name: 'Harbour',
    pumping: { mode: 'enforce' },
    resend_cooldown_s: 0,
    geo: { mode: 'block', countries: ['AF'] },
  })
  for (const [name, balance] of [
    ['Quay Ferries', '84.20'],
    ['Pier Bikes', '3.10'],
    ['Lantern Tickets', '1200'],
  ]) {
    const other = await manage<{ company_id: string }>('POST', '/companies', { name, balance })
    await manage('POST', `/companies/${other.company_id}/apps`, { name })
  }
  const { key } = await manage<{ key: string }>('POST', `/apps/${appId}/keys`, {
    kind: 'server',
    name: 'Backend',
  })
  const backend = new Backend(caller, key)
  for (let index = 0; index < people; index++) {
    const prefix = countries[index % countries.length] ?? ''
    const recipient = `${prefix}${String(index * 3 + 10).padStart(2, '0')}`
    const sent = await backend.attemptSend({ recipient, client_ip: `86.10.${index}.7` })
    if (sent.status !== 200 || !sent.body.otp_id || index % 9 === 4) continue
    const { text } = await simulator.arrived(recipient, 'sms')
    await backend.verify(sent.body.otp_id, codeIn(text))
  }
  // The text message to this person fails, and they mistype the code that comes by WhatsApp once.
  const person = '+447400123456'
  await simulator.behave(person, 'sms', 'fail')
  const { otp_id: otpId } = await backend.send({ recipient: person, client_ip: '86.10.200.7' })
  await backend.delivery(otpId, 'failed')
  await backend.resend(otpId, 'whatsapp')
  const { text } = await simulator.arrived(person, 'whatsapp')
  const code = codeIn(text)
  await backend.verify(otpId, code === '000000' ? '111111' : '000000')
  await backend.verify(otpId, code)
  await backend.attemptSend({ recipient: '+93701234567', client_ip: '86.10.201.7' })
  await backend.attemptSend({ recipient: 'nobody', client_ip: '86.10.201.8' })
  for (let index = 0; index < attacked; index++)
    await backend.attemptSend({
      recipient: `+9945031${String((index * 1_037) % 100_000).padStart(5, '0')}`,
      client_ip: `90.${index}.3.9`,
    })
  // Created now that no more messages are sent: an account of the operator's where nobody answers.
  const { provider_id } = await manage<{ provider_id: string }>('POST', '/providers', {
    channel: 'sms',
    kind: 'smpp',
    name: 'Night route',
    settings: {
      host: '127.0.0.1',
      port: 1,
      system_id: 'night',
      password: 'secret12',
      source_addr: 'Harbour',
    },
  })
  await manage('POST', `/providers/${provider_id}/check`)
  return { companyId, appId, otpId, person }
}

/** Waits until no skeleton pulses, which means that everything has loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  await page.waitForFunction('document.querySelectorAll("main .animate-pulse").length === 0')
}
