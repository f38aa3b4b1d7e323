import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippedLocales } from './locales.ts'
import { renderMessage } from './render.ts'
import type { EmailTemplate } from './templates.ts'

function email(locale: string, appName = 'Acme', template?: EmailTemplate) {
  return renderMessage({
    channel: 'email',
    locale,
    appName,
    code: '012345',
    minutes: 10,
    templates: template === undefined ? null : { email: { [locale]: template } },
    autofill: null,
  })
}

/** What a person reads on the page. */
function visible(html: string): string {
  const body = html.slice(html.indexOf('<body'))
  return body
    .replace(/<div style="display:none.*?<\/div>/s, '')
    .replace(/<br>/g, '\n')
    .replace(/<\/p>/g, '\n\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

const paragraphs = (text: string) =>
  text
    .split(/\n\s*\n/)
    .map((each) => each.trim())
    .filter(Boolean)

test('page and plain text say the same, in every locale', () => {
  for (const locale of shippedLocales) {
    const { text, html } = email(locale, 'Bits & <Bobs>')
    assert.deepEqual(paragraphs(visible(html)), paragraphs(text), locale)
  }
})

test('the plain text reads well by itself', () => {
  assert.equal(
    email('en').text,
    [
      'To continue with Acme, enter this code:',
      '012345',
      'Valid for 10 minutes.',
      'If you did not ask for this code, you can ignore this email. Do not share the code with anyone.',
    ].join('\n\n'),
  )
})

test('the app’s name is escaped wherever it stands', () => {
  const { html } = email('en', `<img src=x onerror=alert(1)> & "Co"'s`)
  assert.doesNotMatch(html, /<img/)
  assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt; &amp; &quot;Co&quot;&#39;s/)
})

test('a page says its language and direction, and the code runs left to right in all of them', () => {
  for (const locale of shippedLocales) {
    const direction = ['ar', 'fa', 'he', 'ur'].includes(locale) ? 'rtl' : 'ltr'
    const { html } = email(locale)
    assert.ok(html.includes(`<html lang="${locale}" dir="${direction}">`), locale)
    assert.match(html, /<p class="code" dir="ltr"[^>]*>012345<\/p>/)
  }
})

test('a page loads nothing from elsewhere and has no links, tables or scripts', () => {
  for (const locale of shippedLocales) {
    assert.doesNotMatch(email(locale).html, /https?:|<img|<link|<a\b|<script|<table|url\(|@import/i, locale)
  }
})

test('the preview on a phone starts with the code and how long it lives', () => {
  assert.match(email('en').html, /<div style="display:none[^>]*>012345 · Valid for 10 minutes\.<\/div>/)
})

test('a page is ready for dark mode and does not turn the code into a phone number', () => {
  const { html } = email('en')
  assert.match(html, /prefers-color-scheme:dark/)
  assert.match(html, /name="color-scheme" content="light dark"/)
  assert.match(html, /name="format-detection" content="telephone=no/)
})

test('no line is longer than SMTP carries', () => {
  for (const locale of shippedLocales) {
    const longest = Math.max(
      ...email(locale)
        .html.split('\n')
        .map((line) => Buffer.byteLength(line)),
    )
    assert.ok(longest <= 998, `${locale}: ${longest}`)
  }
})

test('an app’s own text without a page gets one that says the same', () => {
  const text = 'Hello from {app} <3\nand all,\n\n{code}\n\nGone in {minutes} minutes.'
  const own = email('cy', 'Acme', { subject: 'Cod {app}', text })
  assert.equal(own.subject, 'Cod Acme')
  assert.deepEqual(paragraphs(visible(own.html)), paragraphs(own.text))
  assert.match(own.html, /<html lang="cy" dir="ltr">/)
  assert.match(own.html, /<p class="code"[^>]*>012345<\/p>/)
})

test('an app’s own page is kept as it is, with values escaped and CSS untouched', () => {
  const html = '<style>p{margin:0}</style><p>{app}</p><b>{code}</b> {minutes}'
  const own = email('en', 'A&B', { subject: 's', text: '{code}', html })
  assert.equal(own.html, '<style>p{margin:0}</style><p>A&amp;B</p><b>012345</b> 10')
})
