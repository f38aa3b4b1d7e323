import { createContext, useContext, useEffect } from 'react'

/** The app or company that a page is about, so that browser tabs can be told apart. */
export const TitlePlace = createContext<string | null>(null)

export function useTitle(title: string): void {
  const place = useContext(TitlePlace)
  useEffect(() => {
    document.title = [title, ...(place ? [place] : []), 'Countersign'].join(' · ')
  }, [title, place])
}
