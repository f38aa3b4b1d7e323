/** What dialogs and questions have in common. */
import { useRef } from 'react'

export const overlayClass = 'fixed inset-0 z-40 animate-appear bg-[rgb(8_12_10/0.45)]'

/** Centred, or at the lower edge on a phone. */
export const panelClass =
  'fixed z-40 flex max-h-[min(88dvh,46rem)] w-full flex-col overflow-hidden border bg-surface shadow-pop animate-rise ' +
  'inset-x-0 bottom-0 rounded-t-lg sm:inset-auto sm:top-1/2 sm:left-1/2 sm:-translate-1/2 sm:rounded-lg'

/** Remembers what had the focus: a dialog without a trigger does not know where to return it. */
export function useReturnedFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => giveFocusBack(event, opener.current),
  }
}

/** If the opener is gone, the focus goes to the page's content, unless something else has it by then. */
export function giveFocusBack(event: Event, opener: Element | null): void {
  event.preventDefault()
  const isThere = opener?.isConnected && opener !== document.body
  if (!isThere && document.activeElement !== document.body) return
  const target = isThere ? opener : document.getElementById('content')
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}
