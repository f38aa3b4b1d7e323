import { useEffect } from 'react'
import {
  type ControllerRenderProps,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  useController,
} from 'react-hook-form'
import type { Form } from './use-form.ts'

export interface BoundField<Value> {
  readonly value: Value
  readonly set: (value: Value) => void
  /** The same as `set`, for components that work with the values of any form. */
  readonly onChange: ControllerRenderProps['onChange']
  /** What is wrong with it, in the contract's words. */
  readonly problem: string | undefined
}

/** One value of a form, and what is wrong with it. */
export function useField<Values extends FieldValues, Name extends FieldPath<Values>>(
  { control, names }: Pick<Form<Values>, 'control' | 'names'>,
  name: Name,
): BoundField<FieldPathValue<Values, Name>> {
  const { field, fieldState } = useController({ control, name })
  useEffect(() => {
    names.add(name)
    return () => void names.delete(name)
  }, [names, name])
  const { value, onChange } = field
  return { value, set: onChange, onChange, problem: fieldState.error?.message }
}
