import { useNavigate } from '@tanstack/react-router'
import { useIsHere } from './use-is-here.ts'

/**
 * Leads to another page once an answer has come, without asking about the form that was sent. Somebody who has gone
 * elsewhere meanwhile stays there.
 */
export function useMove(): ReturnType<typeof useNavigate> {
  const navigate = useNavigate()
  const isHere = useIsHere()
  return async (to) => {
    if (isHere()) await navigate({ ...to, ignoreBlocker: true })
  }
}
