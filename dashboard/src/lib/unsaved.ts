/** Unsaved changes on the page. Outside React, since the page may be left at any time. */
import { useEffect } from 'react'

type Where = 'page' | 'dialog'

const unsaved = new Set<{ readonly where: Where }>()

export const hasUnsaved = (): boolean => unsaved.size > 0
export const hasUnsavedInDialog = (): boolean => [...unsaved].some(({ where }) => where === 'dialog')

let ask = async (): Promise<boolean> => true

/** The page that asks whether unsaved changes may be lost. */
export const askWith = (next: typeof ask): void => {
  ask = next
}

/** Asks, before something else than a move to another page discards unsaved changes. */
export const mayBeLost = async (): Promise<boolean> => !hasUnsaved() || ask()

/** A form counts as unsaved for as long as it is changed and on the page. */
export function useUnsaved(isChanged: boolean, where: Where = 'page'): void {
  useEffect(() => {
    if (!isChanged) return
    const mark = { where }
    unsaved.add(mark)
    return () => void unsaved.delete(mark)
  }, [isChanged, where])
}
