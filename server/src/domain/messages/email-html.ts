export interface EmailPage {
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  readonly title: string
  /** What a phone shows beside the subject before the mail is opened. */
  readonly preheader: string
  /** Blocks of text, each as a template: `fill` puts the values in after escaping. */
  readonly paragraphs: readonly string[]
  readonly fill: (escapedTemplate: string) => string
}

/** A paragraph that is nothing but the code is set large. */
const codeAlone = '{code}'

const bodyFont = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const codeFont = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

/** Inline styles are for mail programs that drop style sheets; the style sheet only adds dark mode. */
const darkStyles = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#16181d!important;color:#eceef2!important}
.code{background:#262a33!important;color:#ffffff!important}
.quiet{color:#a9b0bd!important}
}`

/** A complete page without tables, which loads nothing from elsewhere. */
export function emailHtml(page: EmailPage): string {
  const codeAt = page.paragraphs.indexOf(codeAlone)
  const blocks = page.paragraphs.map((paragraph, index) => {
    if (index === codeAt) return codeBlock(page)
    return codeAt === -1 || index < codeAt ? leadBlock(paragraph, page) : quietBlock(paragraph, page)
  })
  return `<!doctype html>
<html lang="${escapeHtml(page.locale)}" dir="${page.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(page.title)}</title>
<style>
${darkStyles}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#ffffff;color:#1b1f27;font-family:${bodyFont}">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">${escapeHtml(page.preheader)}</div>
<div class="page" dir="${page.direction}" style="max-width:480px;margin:0 auto;padding:32px 20px;background:#ffffff;color:#1b1f27">
${blocks.join('\n')}
</div>
</body>
</html>
`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function leadBlock(paragraph: string, page: EmailPage): string {
  return `<p style="margin:0 0 20px;font-size:18px;line-height:1.5">${inner(paragraph, page)}</p>`
}

/** The code runs left to right in every language, since it is typed as digits. */
function codeBlock(page: EmailPage): string {
  return `<p class="code" dir="ltr" style="margin:0 0 20px;padding:20px 12px;border-radius:12px;background:#eef1f6;color:#1b1f27;text-align:center;font-family:${codeFont};font-size:36px;line-height:1.2;font-weight:700;letter-spacing:4px">${page.fill(codeAlone)}</p>`
}

function quietBlock(paragraph: string, page: EmailPage): string {
  return `<p class="quiet" style="margin:0 0 12px;font-size:15px;line-height:1.5;color:#586173">${inner(paragraph, page)}</p>`
}

function inner(paragraph: string, page: EmailPage): string {
  return page.fill(escapeHtml(paragraph)).replaceAll('\n', '<br>')
}
