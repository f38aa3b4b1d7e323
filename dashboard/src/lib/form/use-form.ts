/**
 * A form: its values are held by react-hook-form and checked by the contract before they are sent; what the service then
 * says about a field is shown beside it. Names of values are paths of the API's body.
 */
import type { FieldProblem } from '@countersign/contract'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  type Control,
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Resolver,
  set as setIn,
  type UseFormSetValue,
  useForm as useHookForm,
} from 'react-hook-form'
import { ApiError } from '../api-error.ts'
import { toastProblem } from '../toast.ts'
import { useIsHere } from '../use-is-here.ts'
import { isSame, merged } from './merged.ts'
import { Refused, sayMissing, sayTwofold, sortProblems } from './problems.ts'

interface FormOptions<Values extends FieldValues, Body> {
  readonly initial: Values
  /**
   * Whether the initial values are stored ones. What somebody else saves meanwhile is then taken over; what was typed here
   * stays, and is not saved yet.
   */
  readonly isStored?: boolean
  /** Makes the body that is sent from what was typed. */
  readonly body: (values: Values) => Body
  /** What the contract says of the body, such as `against(createKeyBody)`. */
  readonly check: (body: Body) => readonly FieldProblem[]
  readonly submit: (body: Body, values: Values) => Promise<unknown>
  /** Errors that are about a field without naming it, by their type. */
  readonly refusals?: Readonly<Record<string, FieldProblem>>
  /** For a problem for which the page has other words or another place than the API. */
  readonly reword?: (problem: FieldProblem, values: Values) => FieldProblem
}

/** What is shown above a form's buttons. */
interface FormRefusal {
  /** Null if nothing was sent. */
  readonly error: unknown
  /** What is wrong with values that have no field here. */
  readonly others: readonly FieldProblem[]
  readonly isBesideFields: boolean
}

export interface Form<Values extends FieldValues> {
  readonly control: Control<Values>
  readonly values: Values
  readonly set: UseFormSetValue<Values>
  readonly isSending: boolean
  readonly isChanged: boolean
  readonly refusal: FormRefusal | null
  readonly reset: (values?: Values) => void
  readonly onSubmit: (event: FormEvent) => void
  /** The names of the fields that are shown, in their order. */
  readonly names: Set<string>
}

export function useForm<Values extends FieldValues, Body>(options: FormOptions<Values, Body>): Form<Values> {
  const { initial, body, check, submit, refusals = {}, reword = (problem) => problem } = options
  const [names] = useState(() => new Set<string>())
  const [refusal, setRefusal] = useState<FormRefusal | null>(null)
  // Not react-hook-form's, which ends when values are taken over.
  const [isSending, setSending] = useState(false)
  const isHere = useIsHere()
  const unplaced = useRef<readonly FieldProblem[]>([])

  const resolver: Resolver<Values> = (values) => {
    const asked = body(values)
    const worded = sayMissing(check(asked), asked).map((problem) => reword(problem, values))
    const problems = sayTwofold(worded, asked)
    const { beside, others } = sortProblems(problems, [...names])
    if (beside.size === 0 && others.length === 0) return { values, errors: {} }
    unplaced.current = others
    return { values: {}, errors: errorsOf<Values>(beside) }
  }
  const methods = useHookForm<Values>({
    // All values together are a valid partial of themselves, which the compiler cannot see in a generic.
    defaultValues: initial as DefaultValues<Values>,
    resolver,
    shouldFocusError: false,
  })
  const { formState } = methods
  const focusLater = useFocusOnProblem(formState.submitCount)

  const stored = useRef(initial)
  useEffect(() => {
    if (!options.isStored || isSame(stored.current, initial)) return
    const typed = merged(methods.getValues(), stored.current, initial)
    stored.current = initial
    // Merged from values of this form, which the compiler cannot see.
    settle(initial, typed as Values)
  })

  /** Makes these the saved values. What was typed beyond them stays, and is not saved yet. */
  const settle = (saved: Values, typed: Values) => {
    methods.reset(saved)
    if (!isSame(typed, saved)) methods.reset(typed, { keepDefaultValues: true })
  }

  const refuse = (error: unknown, values: Values) => {
    if (!isHere()) return toastProblem(error)
    if (!isSame(methods.getValues(), values)) focusLater(null)
    const problems = fieldsOf(error, refusals).map((problem) => reword(problem, values))
    const { beside, others } = sortProblems(problems, [...names])
    // Fields are named by paths of the values, so each name is one.
    for (const [name, message] of beside) {
      methods.setError(name as Parameters<typeof methods.setError>[0], { type: 'service', message })
    }
    setRefusal({ error, others, isBesideFields: beside.size > 0 && others.length === 0 })
  }

  const send = async (event: FormEvent) => {
    setRefusal(null)
    setSending(true)
    let saved: Values | null = null
    await methods.handleSubmit(
      async (values) => {
        try {
          await submit(body(values), values)
          saved = values
        } catch (error) {
          refuse(error, values)
        }
      },
      () => {
        const others = unplaced.current
        if (others.length > 0) setRefusal({ error: null, others, isBesideFields: false })
      },
    )(event)
    setSending(false)
    if (saved) settle(saved, methods.getValues())
  }

  return {
    control: methods.control,
    values: methods.watch(),
    set: (name, value, how) =>
      methods.setValue(name, value, { shouldDirty: true, shouldValidate: formState.isSubmitted, ...how }),
    isSending,
    isChanged: formState.isDirty,
    refusal,
    reset: (values) => {
      methods.reset(values)
      setRefusal(null)
    },
    onSubmit: (event) => {
      // React would pass this on to a form around the dialog, though the dialog is drawn elsewhere.
      event.stopPropagation()
      focusLater(event.currentTarget)
      void send(event)
    },
    names,
  }
}

/** Never empty, since react-hook-form would send the form if no field had an error. */
function errorsOf<Values extends FieldValues>(beside: ReadonlyMap<string, string>): FieldErrors<Values> {
  const errors: FieldErrors<Values> = {}
  for (const [name, message] of beside) setIn(errors, name, { type: 'contract', message })
  if (beside.size === 0) setIn(errors, 'root', { type: 'contract' })
  return errors
}

function fieldsOf(error: unknown, refusals: Readonly<Record<string, FieldProblem>>): readonly FieldProblem[] {
  if (error instanceof Refused) return error.fields
  if (!(error instanceof ApiError)) return []
  const named = refusals[error.type]
  return named ? [named] : error.fields
}

/** After a problem the first field that it is about gets the focus, unless somebody has gone on elsewhere meanwhile. */
function useFocusOnProblem(submitCount: number) {
  const form = useRef<Element | null>(null)
  const focused = useRef<Element | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever something was tried
  useEffect(() => {
    const field = form.current?.querySelector('[aria-invalid="true"]')
    if (field instanceof HTMLElement && document.activeElement === focused.current) field.focus()
    form.current = null
  }, [submitCount])
  return (element: Element | null) => {
    form.current = element
    focused.current = document.activeElement
  }
}
