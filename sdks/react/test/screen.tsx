/** Screens as a developer would write them, bundled in a project of their own together with those of the README. */
import { CodeInput, useVerification } from '@countersign/react'
import { createVerification, type VerificationOptions } from '@countersign/web'
import { type ReactNode, StrictMode, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Verify } from './readme.tsx'

/** What every render has seen and what callbacks have reported, for the test to read. */
const phases: string[] = []
const countdown: (number | null)[] = []
const told: string[] = []

function WithHook({ options }: { options: VerificationOptions }) {
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
      <CodeInput aria-label="Code" value={code} onChange={setCode} readsSms={false} />
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

/** One input that keeps its digits itself, and one whose digits the page keeps. */
function Inputs() {
  const [kept, setKept] = useState('')
  const input = useRef<HTMLInputElement>(null)
  return (
    <main>
      <h1>Inputs</h1>
      <label>
        Code{' '}
        <CodeInput
          ref={input}
          onChange={(code) => told.push(code)}
          onComplete={(code) => told.push(`all: ${code}`)}
        />
      </label>
      <label>
        Four{' '}
        <CodeInput
          length={4}
          value={kept}
          onChange={setKept}
          readsSms={false}
          autoComplete="off"
          className="own"
        />
      </label>
      <button type="button" onClick={() => input.current?.focus()}>
        Focus
      </button>
      <button type="button" onClick={() => setKept('')}>
        Clear
      </button>
    </main>
  )
}

/** Passes another function each time it renders, and renders once more when it is told the token. */
function SignUp() {
  const [isProven, setProven] = useState(false)
  const take = (token: string) => {
    told.push(token)
    setProven(true)
  }
  return (
    <main>
      <h1>{isProven ? 'Welcome' : 'Sign up'}</h1>
      <Verify publishableKey={key} baseUrl={baseUrl} onToken={take} />
    </main>
  )
}

function Toggled({ children }: { children: ReactNode }) {
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        Toggle
      </button>
      {isShown && children}
    </>
  )
}

const { show, dir = 'ltr', key = '', baseUrl = '' } = Object.fromEntries(new URLSearchParams(location.search))
const screens: Record<string, ReactNode> = {
  hook: (
    <Toggled>
      <WithHook options={{ key, baseUrl }} />
    </Toggled>
  ),
  inputs: <Inputs />,
  readme: <SignUp />,
}
document.documentElement.dir = dir
const container = document.createElement('div')
document.body.append(container)
createRoot(container).render(<StrictMode>{screens[show ?? '']}</StrictMode>)
Object.assign(globalThis, { phases, countdown, told, createVerification })
