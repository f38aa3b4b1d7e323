import { useEffect, useRef } from 'react'

/** A row that somebody adds is where they go on: its first field gets the focus. Rows are children of the list. */
export function useFocusOnAdded<List extends HTMLElement>(count: number) {
  const list = useRef<List>(null)
  const isAdded = useRef(false)
  useEffect(() => {
    if (!isAdded.current) return
    isAdded.current = false
    const field = list.current?.children[count - 1]?.querySelector('input, select')
    if (field instanceof HTMLElement) field.focus()
  }, [count])
  const focusNext = () => {
    isAdded.current = true
  }
  return { list, focusNext }
}
