/** Unsaved changes on the page. Outside React, since the page may be left at any time. */
import { useEffect } from 'react'

const unsaved = new Set<symbol>()

export const hasUnsaved = (): boolean => unsaved.size > 0

/** A form counts as unsaved for as long as it is changed and on the page. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const mark = Symbol('unsaved')
    unsaved.add(mark)
    return () => void unsaved.delete(mark)
  }, [isChanged])
}
