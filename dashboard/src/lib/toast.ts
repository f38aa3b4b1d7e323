/** Short messages in a corner. The list is outside React, so that any code can add to it. */
import { useSyncExternalStore } from 'react'
import { ApiError, messageOf } from './api-error.ts'

export interface Toast {
  readonly id: number
  readonly tone: 'done' | 'problem'
  readonly text: string
  readonly requestId: string | null
}

const atMost = 4
let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next.slice(-atMost)
  for (const listener of listeners) listener()
}

const add = (toast: Omit<Toast, 'id'>) => {
  lastId += 1
  change([...toasts, { ...toast, id: lastId }])
}

export const toast = (text: string): void => add({ tone: 'done', text, requestId: null })

export function toastProblem(error: unknown): void {
  add({
    tone: 'problem',
    text: messageOf(error),
    requestId: error instanceof ApiError ? error.requestId : null,
  })
}

export const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts)
