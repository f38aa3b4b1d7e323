/** Lists as Twilio's clients page through them: each page has the URL of the next. */
import { type Fields, type TwilioDependencies, urlOf } from './call.ts'
import { refusal } from './error-body.ts'

const mostOfPage = 1_000
const usualPage = 50

export function pageSizeOf({ PageSize: text = String(usualPage) }: Fields): number {
  const size = Number(text)
  if (!Number.isInteger(size) || size < 1 || size > mostOfPage) throw refusal(60200, 'PageSize')
  return size
}

interface Found<Row> {
  readonly rows: readonly Row[]
  /** Where the next page begins; null on the last page. */
  readonly nextToken: string | null
}

export function pageOf<Row, Key extends string>(
  dependencies: Pick<TwilioDependencies, 'publicUrl'>,
  key: Key,
  path: string,
  fields: Fields,
  { rows, nextToken }: Found<Row>,
) {
  const { Page: pageText = '0', PageToken: token, ...asked } = fields
  const page = Number(pageText)
  if (!Number.isInteger(page) || page < 0) throw refusal(60200, 'Page')
  const size = pageSizeOf(fields)
  const address = (others: Fields) => {
    const query = new URLSearchParams({ ...asked, PageSize: String(size), ...others })
    return `${urlOf(dependencies, path)}?${query}`
  }
  const meta = {
    key,
    page,
    page_size: size,
    first_page_url: address({ Page: '0' }),
    previous_page_url: null,
    url: address({ Page: String(page), ...(token ? { PageToken: token } : {}) }),
    next_page_url: nextToken && address({ Page: String(page + 1), PageToken: nextToken }),
  }
  return { meta, [key]: rows } as { meta: typeof meta } & Record<Key, readonly Row[]>
}
