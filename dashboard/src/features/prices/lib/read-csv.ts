/** The rows of a CSV file as spreadsheets write it: RFC 4180, with commas or, as in some countries, semicolons. */
export function readCsv(text: string): string[][] {
  const content = text.replace(/^\uFEFF/, '')
  const firstLine = content.split('\n', 1)[0] ?? ''
  const separator = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ','
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
  }
  for (let at = 0; at < content.length; at++) {
    const letter = content[at] ?? ''
    if (isQuoted && letter === '"' && content[at + 1] === '"') {
      cell += '"'
      at++
    } else if (letter === '"') isQuoted = !isQuoted
    else if (isQuoted) cell += letter
    else if (letter === separator) endCell()
    else if (letter === '\n') endRow()
    else if (letter !== '\r') cell += letter
  }
  endRow()
  return rows
}
