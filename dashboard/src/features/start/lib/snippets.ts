/** The two calls of a verification, ready to paste. */
export const exampleRecipient = '+447400123456'
const keyPlaceholder = 'otp_sk_…'

interface Call {
  readonly baseUrl: string
  readonly secret: string | null
}

export const curlSend = ({ baseUrl, secret }: Call) => `curl -s ${baseUrl}/api/v1/otp/send \\
  -H "Authorization: Bearer ${secret ?? keyPlaceholder}" \\
  -H "Content-Type: application/json" \\
  -d '{"recipient": "${exampleRecipient}"}'`

export const nodeSend = ({ baseUrl, secret }: Call) =>
  [
    "import { Countersign } from '@countersign/node'",
    '',
    `const countersign = new Countersign('${secret ?? keyPlaceholder}', { baseUrl: '${baseUrl}' })`,
    '',
    `const { otpId, maskedRecipient } = await countersign.otp.send({ recipient: '${exampleRecipient}' })`,
  ].join('\n')

export const curlVerify = (
  { baseUrl, secret }: Call,
  otpId: string,
) => `curl -s ${baseUrl}/api/v1/otp/verify \\
  -H "Authorization: Bearer ${secret ?? keyPlaceholder}" \\
  -H "Content-Type: application/json" \\
  -d '{"otp_id": "${otpId}", "code": "123456"}'`

export const nodeVerify = () => `const { matched } = await countersign.otp.verify({ otpId, code: '123456' })`
