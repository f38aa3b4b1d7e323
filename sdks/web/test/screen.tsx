/** A screen as somebody would write it with the hook. It is compiled and bundled in a project of its own. */
import { createVerification, type VerificationOptions } from '@countersign/web'
import { useVerification } from '@countersign/web/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** What every render has seen, for the test to read. */
const phases: string[] = []
const countdown: (number | null)[] = []

function Screen({ options }: { options: VerificationOptions }) {
  const [recipient, setRecipient] = useState('')
  const [code, setCode] = useState('')
  const verification = useVerification(options)
  const { phase, resendIn, isCodeWrong, attemptsRemaining, verificationToken, error } = verification
  if (phases.at(-1) !== phase) phases.push(phase)
  if (countdown.at(-1) !== resendIn) countdown.push(resendIn)
  return (
    <main>
      <input
        aria-label="Recipient"
        value={recipient}
        onChange={(event) => setRecipient(event.target.value)}
      />
      <button type="button" onClick={() => verification.start(recipient)}>
        Start
      </button>
      <input aria-label="Code" value={code} onChange={(event) => setCode(event.target.value)} />
      <button type="button" onClick={() => verification.verify(code)}>
        Verify
      </button>
      <button type="button" disabled={resendIn !== 0} onClick={() => verification.resend()}>
        Resend
      </button>
      <button type="button" onClick={verification.reset}>
        Reset
      </button>
      <output>
        {JSON.stringify({ phase, resendIn, isCodeWrong, attemptsRemaining, error: error?.type })}
      </output>
      <code>{verificationToken}</code>
    </main>
  )
}

function App({ options }: { options: VerificationOptions }) {
  const [isShown, setShown] = useState(true)
  return (
    <StrictMode>
      <button type="button" onClick={() => setShown(!isShown)}>
        Toggle
      </button>
      {isShown && <Screen options={options} />}
    </StrictMode>
  )
}

const { key = '', baseUrl = '' } = Object.fromEntries(new URLSearchParams(location.search))
const container = document.createElement('div')
document.body.append(container)
createRoot(container).render(<App options={{ key, baseUrl }} />)
Object.assign(globalThis, { phases, countdown, createVerification })
