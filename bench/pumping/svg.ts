/** Text elements of a drawing. */
export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const text = (x: number, y: number, content: string, extra = '') =>
  `<text x="${x}" y="${y}" ${extra}>${escaped(content)}</text>`
