import { type RefObject, useEffect, useRef, useState } from 'react'

/** The width of an element, updated when it changes. */
export function useWidth<Target extends HTMLElement>(): readonly [RefObject<Target | null>, number] {
  const element = useRef<Target>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
