import { useNavigate } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { type FormEvent, useId, useState } from 'react'
import { Button, IconButton } from '#components/ui/button.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'

interface LookupProps {
  readonly appId: string
  readonly recipient: string | null
  readonly onRecipient: (recipient: string | null) => void
  readonly isInvalid: boolean
}

/** Finds one verification by its id, or those of one recipient. What is typed stays out of the address. */
export function Lookup({ appId, recipient, onRecipient, isInvalid }: LookupProps) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const id = useId()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim()
    if (wanted.startsWith('otp_')) {
      void navigate({ to: '/a/$appId/verifications/$otpId', params: { appId, otpId: wanted } })
    } else onRecipient(wanted || null)
  }
  const clear = () => {
    setText('')
    onRecipient(null)
  }
  return (
    <search>
      <form onSubmit={onSubmit} className="flex max-w-xl gap-2">
        <div className="relative flex-1">
          <Search
            className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
          <Input
            aria-label="Verification id, phone number or email address"
            aria-describedby={isInvalid ? id : undefined}
            aria-invalid={isInvalid || undefined}
            placeholder="otp_…, number or email"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="px-8"
          />
          {(text || recipient) && (
            <IconButton
              label="Clear the search"
              size="sm"
              onClick={clear}
              className="absolute top-1/2 right-0.5 -translate-y-1/2"
            >
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
        <Button type="submit">Find</Button>
      </form>
      <FieldProblem
        id={id}
        text={
          isInvalid
            ? 'This is neither a full phone number, such as +447400123456, nor an email address.'
            : undefined
        }
      />
    </search>
  )
}
