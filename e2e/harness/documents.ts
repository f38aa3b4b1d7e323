/** The commands on a page of the documents, and the answers that the page shows for them. */

export interface Fence {
  readonly language: string
  readonly text: string
  readonly line: number
}

export interface Pasted {
  readonly command: string
  readonly line: number
  /** Null if the page shows none. */
  readonly answer: string | null
}

export function fencesIn(page: string): Fence[] {
  const fences: Fence[] = []
  let open: { language: string; lines: string[]; line: number } | null = null
  for (const [index, text] of page.split('\n').entries()) {
    const fence = /^```(\w*)\s*$/.exec(text)
    if (open && fence) {
      fences.push({ language: open.language, text: open.lines.join('\n'), line: open.line })
      open = null
    } else if (fence) open = { language: fence[1] ?? '', lines: [], line: index + 2 }
    else open?.lines.push(text)
  }
  return fences
}

/** An answer comes right after its command. */
export const pastedIn = (fences: readonly Fence[]): Pasted[] =>
  fences.flatMap(({ language, text, line }, index) => {
    if (language !== 'sh') return []
    const next = fences[index + 1]
    const isAnswer = next?.language === 'json' && next.line - (line + text.split('\n').length) <= 4
    return [{ command: text, line, answer: isAnswer ? next.text : null }]
  })
