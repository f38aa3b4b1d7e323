/** One input for the whole code, without styles. ADR 36 says why it is not one for each digit. */
import { codeIn } from '@countersign/web'
import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentPropsWithoutRef,
  type CompositionEvent,
  type ForwardedRef,
  forwardRef,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useSms } from './use-sms.ts'
import type { UseVerification } from './use-verification.ts'

/** What the input uses of the hook. */
export type VerificationOfInput = Pick<UseVerification, 'phase' | 'code' | 'isCodeWrong' | 'verify'>

type Own = 'type' | 'value' | 'defaultValue' | 'onChange' | 'maxLength' | 'minLength'

/** All other props of an `<input>` are passed on to it, and override what is set here. */
export interface CodeInputProps extends Omit<ComponentPropsWithoutRef<'input'>, Own> {
  /** How many digits a code of your app has. */
  length?: number | undefined
  /** What `useVerification` returned: the input then shows what was read from the SMS, and checks a whole code. */
  verification?: VerificationOfInput | undefined
  /** The digits, if you keep them yourself. */
  value?: string | undefined
  /** Called with the digits only, whatever was typed or pasted. */
  onChange?: ((code: string) => void) | undefined
  /** Called once the last digit is there. */
  onComplete?: ((code: string) => void) | undefined
  /** Whether the input reads the code of an SMS (WebOTP). By default it does, unless a `verification` reads it. */
  readsSms?: boolean | undefined
}

const usualLength = 6

export const CodeInput = forwardRef<HTMLInputElement, CodeInputProps>(function CodeInput(
  {
    length = usualLength,
    verification,
    value,
    onChange,
    onComplete,
    readsSms = verification === undefined,
    onPaste,
    onCompositionEnd,
    ...others
  },
  ref,
) {
  const [typed, setTyped] = useState('')
  /** The text that an input method is still composing, which must not be changed meanwhile. */
  const [draft, setDraft] = useState<string | null>(null)
  const [input, setInput] = useInput(ref)
  const shown = value ?? typed
  const isChecked = verification?.phase === 'verifying' || verification?.phase === 'verified'

  function show(code: string) {
    setDraft(null)
    if (code === shown) return false
    setTyped(code)
    onChange?.(code)
    return true
  }
  function take(code: string) {
    if (show(code) && code.length === length) complete(code)
  }
  function complete(code: string) {
    onComplete?.(code)
    void verification?.verify(code)
  }
  useSms(readsSms, (text) => take(codeIn(text, length)))
  // The code is only shown, since it is already being checked.
  useNews(verification?.code ?? null, (code) => code !== null && show(code))
  useNews(verification?.isCodeWrong ?? false, (isWrong) => isWrong && selectIfFocused(input.current))

  function change({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) {
    if ('isComposing' in nativeEvent && nativeEvent.isComposing) return setDraft(target.value)
    take(tidy(target, shown, length))
  }
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    onPaste?.(event)
    const code = codeIn(event.clipboardData.getData('text'), length)
    // A part of a code goes where the caret is; a whole one is the code, whatever was there.
    if (event.defaultPrevented || event.currentTarget.readOnly || code.length !== length) return
    event.preventDefault()
    // Also the code that is there already, which the service may not have answered.
    show(code)
    complete(code)
  }
  function endComposition(event: CompositionEvent<HTMLInputElement>) {
    onCompositionEnd?.(event)
    take(tidy(event.currentTarget, shown, length))
  }
  return (
    <input
      autoComplete="one-time-code"
      inputMode="numeric"
      pattern={`[0-9]{${length}}`}
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      enterKeyHint="done"
      // Digits run from left to right in every script, and so do the arrow keys.
      dir="ltr"
      aria-invalid={verification?.isCodeWrong || undefined}
      // Not disabled, which would remove the focus.
      readOnly={isChecked}
      {...others}
      ref={setInput}
      type="text"
      value={draft ?? shown}
      onChange={change}
      onPaste={paste}
      onCompositionEnd={endComposition}
    />
  )
})

/** Leaves only the code in the input, with the caret after the same digit as before. */
function tidy(input: HTMLInputElement, shown: string, length: number): string {
  const { value } = input
  const caret = input.selectionStart ?? value.length
  const before = codeIn(value.slice(0, caret), length).length
  // A digit too many changes nothing, also in the middle: pushing the last one out would make a code that nobody typed.
  const isTooMany =
    shown.length === length && codeIn(value, length + 1).length > length && caret < value.length
  const code = isTooMany ? shown : codeIn(value, length)
  if (code === value) return code
  const place = isTooMany ? before - 1 : before
  input.value = code
  input.setSelectionRange(place, place)
  return code
}

/** Selects the code, so that the next digit replaces it. */
const selectIfFocused = (input: HTMLInputElement | null) => {
  if (input !== null && input.ownerDocument.activeElement === input) input.select()
}

/** The element, for this component and for the ref that was passed. */
function useInput(ref: ForwardedRef<HTMLInputElement>) {
  const input = useRef<HTMLInputElement>(null)
  const set = useCallback(
    (element: HTMLInputElement | null) => {
      input.current = element
      if (typeof ref === 'function') ref(element)
      else if (ref) ref.current = element
    },
    [ref],
  )
  return [input, set] as const
}

/** Calls `tell` when a value has changed, not for the first one. */
function useNews<Value>(value: Value, tell: (value: Value) => unknown) {
  const last = useRef(value)
  useEffect(() => {
    if (last.current === value) return
    last.current = value
    tell(value)
  })
}
