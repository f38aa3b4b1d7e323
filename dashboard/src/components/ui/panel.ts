/** What dialogs and questions have in common. */
import { useRef } from 'react'

export const overlayClass = 'fixed inset-0 z-40 animate-appear bg-[rgb(8_12_10/0.45)]'

/** Centred on a screen, at the lower edge of a phone. */
export const panelClass =
  'fixed z-40 flex max-h-[min(88dvh,46rem)] w-full flex-col overflow-hidden border bg-surface shadow-pop animate-rise ' +
  'inset-x-0 bottom-0 rounded-t-lg sm:inset-auto sm:top-1/2 sm:left-1/2 sm:-translate-1/2 sm:rounded-lg'

/** Without a trigger of its own a dialog does not know whom to give the focus back to. */
export function useReturnedFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => giveFocusBack(event, opener.current),
  }
}

/** Where the opener is gone, to the page's content, unless somebody has found a better place meanwhile. */
export function giveFocusBack(event: Event, opener: Element | null): void {
  event.preventDefault()
  const isThere = opener?.isConnected && opener !== document.body
  if (!isThere && document.activeElement !== document.body) return
  const target = isThere ? opener : document.getElementById('content')
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}
