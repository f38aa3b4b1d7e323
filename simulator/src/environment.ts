import type { SimulatorOptions } from './options.ts'

type Environment = Record<string, string | undefined>

/** Reads the options, or throws one line that names every variable at fault. */
export function readEnvironment(environment: Environment): SimulatorOptions {
  const problems: string[] = []

  function required(name: string): string {
    const value = environment[name]
    if (value !== undefined && value !== '') return value
    problems.push(`${name} is not set`)
    return ''
  }

  function port(name: string, fallback: number): number {
    const value = environment[name]
    if (value === undefined || value === '') return fallback
    if (/^\d{1,5}$/.test(value) && Number(value) < 65_536) return Number(value)
    problems.push(`${name} is not a port number`)
    return fallback
  }

  const bouncePort = port('SIMULATOR_BOUNCE_PORT', 0)
  const options: SimulatorOptions = {
    httpPort: port('SIMULATOR_PORT', 3001),
    smtpPort: port('SIMULATOR_SMTP_PORT', 3025),
    smppPort: port('SIMULATOR_SMPP_PORT', 3775),
    host: environment.SIMULATOR_HOST || '127.0.0.1',
    publicHost: environment.SIMULATOR_PUBLIC_HOST?.toLowerCase() || null,
    whatsapp: {
      webhookUrl: required('SIMULATOR_WHATSAPP_WEBHOOK_URL'),
      appSecret: required('SIMULATOR_WHATSAPP_APP_SECRET'),
      accessToken: required('SIMULATOR_WHATSAPP_ACCESS_TOKEN'),
      verifyToken: required('SIMULATOR_WHATSAPP_VERIFY_TOKEN'),
      phoneNumberId: required('SIMULATOR_WHATSAPP_PHONE_NUMBER_ID'),
      displayPhoneNumber: required('SIMULATOR_WHATSAPP_NUMBER'),
    },
    telegram: { token: required('SIMULATOR_TELEGRAM_TOKEN') },
    smpp: {
      systemId: required('SIMULATOR_SMPP_SYSTEM_ID'),
      password: required('SIMULATOR_SMPP_PASSWORD'),
    },
    smtp: { user: required('SIMULATOR_SMTP_USER'), password: required('SIMULATOR_SMTP_PASSWORD') },
    serviceToken: environment.SIMULATOR_SERVICE_TOKEN || null,
    bounce:
      bouncePort === 0 ? null : { host: environment.SIMULATOR_BOUNCE_HOST || '127.0.0.1', port: bouncePort },
  }
  const { webhookUrl } = options.whatsapp
  if (webhookUrl !== '' && !URL.canParse(webhookUrl))
    problems.push('SIMULATOR_WHATSAPP_WEBHOOK_URL is not a URL')
  if (problems.length > 0) throw new Error(problems.join(', '))
  return options
}
