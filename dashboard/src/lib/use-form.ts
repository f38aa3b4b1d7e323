/** A form's values, what is wrong with each, and its sending. Names of values are paths of the API's body. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { asSentence, problemAt } from './api-error.ts'

type Problems<Values> = Partial<Record<keyof Values & string, string | undefined>>

interface FormOptions<Values> {
  readonly initial: Values
  /** What can be said without asking the service. */
  readonly check?: (values: Values) => Problems<Values>
  readonly submit: (values: Values) => Promise<unknown>
}

export interface Form<Values> {
  readonly values: Values
  readonly set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void
  /** What is wrong with a value, as a sentence. */
  readonly problem: (name: keyof Values & string) => string | undefined
  /** The last refusal, for what belongs to no field. */
  readonly error: unknown
  readonly isSending: boolean
  readonly isChanged: boolean
  readonly reset: (values?: Values) => void
  readonly onSubmit: (event: FormEvent) => void
}

export function useForm<Values extends object>({
  initial,
  check,
  submit,
}: FormOptions<Values>): Form<Values> {
  const [start, setStart] = useState(initial)
  const [values, setValues] = useState(initial)
  const [problems, setProblems] = useState<Problems<Values>>({})
  const [error, setError] = useState<unknown>(null)
  const [isSending, setSending] = useState(false)
  const focusProblem = useFocusOnProblem(problems, error)

  const send = async () => {
    const found = check?.(values) ?? {}
    setProblems(found)
    setError(null)
    if (Object.values(found).some(Boolean)) return
    setSending(true)
    try {
      await submit(values)
      setStart(values)
    } catch (refusal) {
      setError(refusal)
    } finally {
      setSending(false)
    }
  }

  return {
    values,
    error,
    isSending,
    isChanged: JSON.stringify(values) !== JSON.stringify(start),
    set: (name, value) => {
      setValues((current) => ({ ...current, [name]: value }))
      setProblems((current) => ({ ...current, [name]: undefined }))
    },
    problem: (name) => {
      const found = problems[name] ?? problemAt(error, name)
      return found === undefined ? undefined : asSentence(found)
    },
    reset: (next = start) => {
      setStart(next)
      setValues(next)
      setProblems({})
      setError(null)
    },
    onSubmit: (event) => {
      event.preventDefault()
      // A form in a dialog is drawn elsewhere, and yet React would take this on to the form around the dialog.
      event.stopPropagation()
      focusProblem(event.currentTarget)
      void send()
    },
  }
}

/** After a refusal the first field that it is about gets the focus. */
function useFocusOnProblem(problems: object, error: unknown) {
  const form = useRef<Element | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever there are new problems
  useEffect(() => {
    const field = form.current?.querySelector('[aria-invalid="true"]')
    if (field instanceof HTMLElement) field.focus()
    form.current = null
  }, [problems, error])
  return (element: Element) => {
    form.current = element
  }
}
