/** The start page of `/docs`, sorted by what people want to do. */
import { escapeHtml } from './layout.ts'
import type { Site } from './pages.ts'
import type { ReferencePage } from './reference.ts'

const shown = ['Start', 'Recipes', 'Build', 'Providers', 'Run']
/** Of a group with many pages only the first are shown, which lead to the others. */
const most = 7

export function startPage({ groups }: Site, references: readonly ReferencePage[]): string {
  const cards = groups
    .filter(({ title }) => shown.includes(title))
    .map(
      ({ title, pages }) =>
        `<section class="card"><h2>${escapeHtml(title)}</h2><ul>${pages
          .slice(0, most)
          .map((page) => `<li><a href="/docs/${page.slug}">${escapeHtml(page.title)}</a></li>`)
          .join('')}</ul></section>`,
    )
  const reference = references
    .filter(({ slug }) => slug !== 'reference')
    .map(({ slug, title }) => `<li><a href="/docs/${slug}">${escapeHtml(title)}</a></li>`)
  return `<h1>Countersign</h1>
<p class="lead">Verifies that a person controls a phone number or an email address: a code by SMS, WhatsApp, Telegram or email, or one message of theirs. You host it yourself.</p>
<p><a class="call" href="/docs/guide">From nothing to a verified person</a> <a class="call quiet" href="/docs/reference">API reference</a></p>
<div class="cards">${cards.join('')}<section class="card"><h2>API reference</h2><ul class="flow">${reference.join('')}</ul></section></div>
<h2>One verification</h2>
<div class="code"><pre><code>POST /api/v1/otp/send    {"recipient": "+447400123456"}         → otp_id
POST /api/v1/otp/verify  {"otp_id": "otp_…", "code": "493817"}  → approved</code></pre></div>
<p>For programs that read: <a href="/llms.txt">llms.txt</a> lists every page as Markdown, and <a href="/api/v1/openapi.json">openapi.json</a> describes the API.</p>`
}
