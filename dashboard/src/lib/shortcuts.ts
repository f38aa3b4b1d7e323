/** Keyboard shortcuts for a whole page: one key, or two in a row such as `g v`. */
import { useEffect, useRef } from 'react'

const sequenceMs = 1_200

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))

/** Whether a dialog or menu is open, which takes the keys itself. */
export const isBusy = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

/** Greek, Cyrillic, Hebrew and Arabic keyboards have the letters of shortcuts on the same keys as their own letters. */
export const shortcutKey = ({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string =>
  /^[^\0-\x7f]$/u.test(key) && /^Key[A-Z]$/.test(code) ? code.slice('Key'.length).toLowerCase() : key

export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions)
  useEffect(() => {
    current.current = actions
  })
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | null = null
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return
      if (isTyping(event.target) || isBusy()) return
      const isSecond = first !== null && event.timeStamp - first.at < sequenceMs
      const key = shortcutKey(event)
      const pair = isSecond && first ? current.current[`${first.key} ${key}`] : undefined
      const action = pair ?? current.current[key]
      first = action ? null : { key, at: event.timeStamp }
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
export const commandKey = isMac ? '⌘' : 'Ctrl'
