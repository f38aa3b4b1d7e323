import { useEffect, useRef } from 'react'

/** Gives the focus to the first field of a row that somebody adds. Rows are children of the list. */
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
