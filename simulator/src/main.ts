import { readEnvironment } from './environment.ts'
import { PortError, type Wire } from './listen.ts'
import { type Simulator, startSimulator } from './simulator.ts'

const PORT_VARIABLES: Record<Wire, string> = {
  http: 'SIMULATOR_PORT',
  smtp: 'SIMULATOR_SMTP_PORT',
  smpp: 'SIMULATOR_SMPP_PORT',
}

const STOP_DEADLINE_MS = 3_000

async function main(): Promise<void> {
  const simulator = await startSimulator(readEnvironment(process.env))
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref()
    simulator.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The parent process may be killed before it can send a signal; its IPC channel closes even then.
  process.on('disconnect', stop)
  if (process.send !== undefined && !process.connected) stop()
  else announce(simulator)
}

function announce({ httpPort, smtpPort, smppPort }: Simulator): void {
  if (process.send === undefined) {
    console.log(`simulator: phones at http://localhost:${httpPort}, SMTP on ${smtpPort}, SMPP on ${smppPort}`)
  } else {
    process.send({ ready: true, httpPort, smtpPort, smppPort })
  }
}

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof PortError)) return `simulator: ${message}`
  return `simulator: ${message}; set ${PORT_VARIABLES[error.wire]} to a free port`
}

main().catch((error: unknown) => {
  const message = explain(error)
  if (process.send === undefined || !process.connected) {
    console.error(message)
    process.exit(1)
  }
  process.send({ error: message }, () => process.exit(1))
})
