/** Calls the API as a backend does, with the key that was made on this page. */
import type { VerificationAnswer, VerifyAnswer } from '@countersign/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { askService } from '#lib/ask-service.ts'
import { forgetKey, keyOf } from '#lib/idempotency.ts'
import { readRecipient } from './read-recipient.ts'

const post = <Answer>(path: string, key: string, body: object, headers: object = {}): Promise<Answer> =>
  askService(`/api/v1${path}`, {
    method: 'POST',
    credentials: 'omit',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Reads the list of arrivals again, so that it shows the call at once. */
function useApi<Input, Answer>(run: (input: Input) => Promise<Answer>, onDone?: (answer: Answer) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      onDone?.(answer)
      void client.invalidateQueries({ queryKey: ['listVerifications'] })
    },
  })
}

interface Sending {
  readonly key: string
  readonly wanted: Wanted
}

/** A recipient that the service cannot read is sent as typed, so that the page shows what a backend would get. */
export const useSend = (appId: string, onDone: (answer: VerificationAnswer) => void) =>
  useApi(async ({ key, wanted }: Sending) => {
    const recipient = (await readRecipient(appId, wanted)).recipient ?? wanted.recipient
    const sending = { appId, recipient }
    const headers = { 'idempotency-key': keyOf('send', sending) }
    const answer = await post<VerificationAnswer>('/otp/send', key, { recipient }, headers)
    forgetKey('send', sending)
    return answer
  }, onDone)

interface Checking {
  readonly key: string
  readonly otpId: string
  readonly code: string
}

export const useVerify = () =>
  useApi(({ key, otpId, code }: Checking) => post<VerifyAnswer>('/otp/verify', key, { otp_id: otpId, code }))
