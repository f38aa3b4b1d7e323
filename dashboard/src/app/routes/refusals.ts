/** What is shown if a page's data could not be read: a page that says not found, a step to take first, or an error. */
import { notFound, redirect } from '@tanstack/react-router'
import { isNotFound } from '#lib/api-error.ts'
import { proofNeeded } from '#lib/proof.ts'

export function instead(error: unknown, here: { readonly href: string }): unknown {
  if (isNotFound(error)) return notFound()
  return proofNeeded(error) === 'passkey'
    ? redirect({ to: '/passkey', search: { return: here.href } })
    : error
}
