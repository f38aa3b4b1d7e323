export interface WhatsAppOptions {
  readonly webhookUrl: string
  readonly appSecret: string
  readonly accessToken: string
  readonly verifyToken: string
  readonly phoneNumberId: string
  readonly displayPhoneNumber: string
}

export interface SimulatorOptions {
  readonly httpPort: number
  readonly smtpPort: number
  readonly smppPort: number
  readonly host?: string
  /** A name that browsers may call it by, beside those of this machine and IP addresses. */
  readonly publicHost?: string | null
  readonly whatsapp: WhatsAppOptions
  readonly telegram: { readonly token: string }
  readonly smpp: { readonly systemId: string; readonly password: string }
  readonly smtp: { readonly user: string; readonly password: string }
  /** Authenticates the service that started the simulator. */
  readonly serviceToken?: string | null
  readonly bounce: { readonly host: string; readonly port: number } | null
}
