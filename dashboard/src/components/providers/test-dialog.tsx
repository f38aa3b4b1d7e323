import type { ProviderAnswer } from '@countersign/contract'
import { testProviderBody } from '@countersign/contract/bodies'
import { useState } from 'react'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { SelectField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { CountryOptions } from '#components/ui/country-select.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useChange } from '#lib/use-change.ts'
import { accountName } from './account-names.ts'
import { Steps } from './steps.tsx'

/** Sends one message to a number or an address that somebody types, and shows each step. */
export function TestAccount({ account }: { readonly account: ProviderAnswer }) {
  const [isOpen, setOpen] = useState(false)
  const name = accountName(account)
  return (
    <>
      <Button size="sm" aria-label={`Test ${name}`} onClick={() => setOpen(true)}>
        Test
      </Button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={`Test ${name}`}
        description="One message is sent through this account. It costs what the provider charges, and is not charged to any company."
      >
        {isOpen && <TestForm account={account} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

interface TestFormProps {
  readonly account: ProviderAnswer
  readonly onClose: () => void
}

function TestForm({ account, onClose }: TestFormProps) {
  const [result, setResult] = useState<AnswerOf<'testProvider'> | null>(null)
  const test = useChange('testProvider', { refreshes: ['listProviders'], problems: 'form' })
  const isEmail = account.channel === 'email'
  const label = isEmail ? 'Email address' : 'Phone number'
  const form = useForm({
    initial: { to: '', country: '' },
    body: ({ to, country }) => ({ to: to.trim(), ...(country ? { country } : {}) }),
    check: against(testProviderBody),
    submit: async (body) => {
      setResult(await test.mutateAsync({ params: { provider_id: account.provider_id }, body }))
    },
    refusals: {
      InvalidRecipientError: {
        path: 'to',
        message: isEmail
          ? 'must be an email address'
          : 'must be a phone number; if it has no country code, choose its country',
      },
    },
  })
  return (
    <DialogForm form={form} submit={result ? 'Send again' : 'Send the message'} onCancel={onClose}>
      <TextField
        form={form}
        name="to"
        label={label}
        type={isEmail ? 'email' : 'tel'}
        placeholder={isEmail ? 'you@example.com' : '+44 7400 123456'}
      />
      {!isEmail && (
        <SelectField form={form} name="country" label="Country, if the number has no country code" isOptional>
          <CountryOptions none="None" />
        </SelectField>
      )}
      {result && (
        <div role="status" className="flex flex-col gap-3">
          <Steps steps={result.steps} />
          {result.message_id && (
            <p className="text-sm text-muted">
              The provider’s id for it is <code className="font-mono text-xs">{result.message_id}</code>.
            </p>
          )}
        </div>
      )}
    </DialogForm>
  )
}
