import smpp, { type Pdu, type Server, type Session } from 'smpp/lib/smpp.js'
import type { SimulatorOptions } from '../../options.ts'
import {
  ALREADY_BOUND,
  INVALID_COMMAND,
  OK,
  UNKNOWN_SYSTEM_ID,
  WRONG_BIND_STATE,
  WRONG_PASSWORD,
} from './command-status.ts'
import { answerSubmit, type MessageCentre } from './submit.ts'

const SYSTEM_ID = 'SIMULATOR'
const MAX_IDLE_MS = 10 * 60 * 1_000

// The library assigns this name without declaring it, which throws in a strict bundle.
Object.assign(globalThis, { skipUdh: undefined })

type Credentials = SimulatorOptions['smpp']
type BindState = { canSend: boolean } | null

/** A short message centre that reaches every phone. */
export function createSmppServer(credentials: Credentials, centre: MessageCentre): Server {
  return smpp.createServer((session) => {
    let bindState: BindState = null
    // Each receipt under way listens for the end of the session.
    session.setMaxListeners(0)
    session.socket.setTimeout(MAX_IDLE_MS, () => session.destroy())
    // After a PDU that it cannot parse, the library would read no further ones.
    session.on('error', () => session.destroy())
    session.on('close', () => centre.outbox.leave(session))
    session.on('pdu', (pdu: Pdu) => {
      if (pdu.isResponse()) return
      if (pdu.command.startsWith('bind_'))
        bindState = answerBind(credentials, centre, session, pdu, bindState)
      else answer(centre, session, pdu, bindState)
    })
  })
}

function answerBind(
  credentials: Credentials,
  centre: MessageCentre,
  session: Session,
  pdu: Pdu,
  current: BindState,
): BindState {
  const status = judgeBind(credentials, pdu, current)
  if (status !== OK) {
    session.send(pdu.response({ command_status: status }))
    return current
  }
  session.send(pdu.response({ system_id: SYSTEM_ID }))
  if (pdu.command !== 'bind_transmitter') centre.outbox.join(session)
  return { canSend: pdu.command !== 'bind_receiver' }
}

function judgeBind(credentials: Credentials, pdu: Pdu, current: BindState): number {
  if (current !== null) return ALREADY_BOUND
  if (pdu.system_id !== credentials.systemId) return UNKNOWN_SYSTEM_ID
  return pdu.password === credentials.password ? OK : WRONG_PASSWORD
}

function answer(centre: MessageCentre, session: Session, pdu: Pdu, bindState: BindState): void {
  if (pdu.command === 'enquire_link') {
    session.send(pdu.response())
  } else if (pdu.command === 'unbind') {
    centre.outbox.leave(session)
    session.send(pdu.response())
    session.close()
  } else if (pdu.command === 'submit_sm') {
    if (bindState?.canSend) centre.schedule.run(() => answerSubmit(centre, session, pdu))
    else session.send(pdu.response({ command_status: WRONG_BIND_STATE }))
  } else if (pdu.command === 'unknown') {
    session.send(pdu.response())
  } else {
    session.send(pdu.response({ command_status: INVALID_COMMAND }))
  }
}
