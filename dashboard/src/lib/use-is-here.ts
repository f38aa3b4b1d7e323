import { useEffect, useRef } from 'react'

/** Tells, when an answer comes, whether the part that waited for it is still on the page. */
export function useIsHere(isShown = true): () => boolean {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = isShown
    return () => {
      isHere.current = false
    }
  }, [isShown])
  return () => isHere.current
}
