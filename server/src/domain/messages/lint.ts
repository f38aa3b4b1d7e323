import { countSegments } from '../../channels/smpp/gsm7.ts'
import { type Autofill, withAutofillLine } from './autofill.ts'
import { isLanguageTag } from './choose-locale.ts'
import type { Problem } from './lint-rules.ts'
import * as rule from './lint-rules.ts'
import { fill, nameAsValue } from './placeholders.ts'
import type { EmailTemplate, TemplateChannel, TextTemplate } from './templates.ts'

export type LintRequest = {
  readonly locale: string
  readonly appName: string
  readonly codeLength: number
  readonly autofill: Autofill | null
} & (
  | { readonly channel: 'sms' | 'whatsapp'; readonly template: TextTemplate }
  | { readonly channel: 'email'; readonly template: EmailTemplate }
)

/** `encoding`, `segments` and `units` are of the longest SMS the template can make; null on other channels. */
export interface LintResult {
  /** There are no errors; there may be warnings. */
  readonly ok: boolean
  readonly encoding: 'gsm7' | 'ucs2' | null
  readonly segments: number | null
  readonly units: number | null
  readonly problems: readonly Problem[]
}

type SmsSize = ReturnType<typeof countSegments>

const maxSmsSegments = 3
const longestMinutes = '10'
/** WhatsApp refuses longer messages. */
const maxTextCharacters = 4_096
const maxSubjectCharacters = 200
/** Mail programs cut longer pages off. */
const maxHtmlCharacters = 100_000

export function lintTemplate(request: LintRequest): LintResult {
  const size = request.channel === 'sms' ? countSegments(longestSms(request)) : null
  const problems = [
    ...lintLocale(request.locale),
    ...lintText('text', request.template.text, maxTextCharacters),
    ...(request.channel === 'email' ? lintEmail(request.template) : []),
    ...(size === null ? [] : lintSms(request, size)),
  ]
  return {
    ok: problems.every((problem) => problem.level !== 'error'),
    encoding: size?.encoding ?? null,
    segments: size?.segments ?? null,
    units: size?.units ?? null,
    problems,
  }
}

/** Shipped texts have no problems, so only the length of the message is reported. */
export function lintShipped(channel: TemplateChannel, locale: string, sentText: string): LintResult {
  const size = channel === 'sms' ? countSegments(sentText) : null
  const problems = lintLocale(locale)
  return {
    ok: problems.length === 0,
    encoding: size?.encoding ?? null,
    segments: size?.segments ?? null,
    units: size?.units ?? null,
    problems,
  }
}

function lintLocale(locale: string): Problem[] {
  return isLanguageTag(locale)
    ? []
    : [rule.error('locale', 'This is not a language tag: use one such as en, pt-BR or zh-TW.')]
}

function lintText(path: 'text' | 'html', template: string, maxCharacters: number): Problem[] {
  const empty = rule.notEmpty(path, template)
  if (empty.length > 0) return empty
  return [
    ...rule.containsCode(path, template),
    ...rule.onlyKnownPlaceholders(path, template),
    ...rule.noControlCharacters(path, template),
    ...rule.atMost(maxCharacters)(path, template),
  ]
}

function lintEmail({ subject, html }: EmailTemplate): Problem[] {
  return [
    ...(subject.trim() === '' ? [rule.error('subject', 'This is empty: say what the mail is for.')] : []),
    ...rule.noCodeInSubject('subject', subject),
    ...rule.onlyKnownPlaceholders('subject', subject),
    ...rule.noControlCharacters('subject', subject),
    ...rule.atMost(maxSubjectCharacters)('subject', subject),
    ...(html === undefined ? [] : lintText('html', html, maxHtmlCharacters)),
  ]
}

function lintSms({ template, autofill }: LintRequest, size: SmsSize): Problem[] {
  return [...rule.noUrl('text', template.text), ...lintSegments(size, autofill?.androidHash !== undefined)]
}

function lintSegments({ encoding, segments, units }: SmsSize, isForAndroid: boolean): Problem[] {
  if (segments <= 1) return []
  const room = encoding === 'gsm7' ? 160 : 70
  const why = encoding === 'gsm7' ? '' : ', because of characters outside GSM-7'
  const advice = `Shorten it by ${units - room} to fit ${room}${why}.`
  if (segments > maxSmsSegments) {
    return [rule.error('text', `This takes ${segments} SMS segments, more than ${maxSmsSegments}. ${advice}`)]
  }
  const android = isForAndroid ? ', and Android fills in only what fits one' : ''
  return [rule.warning('text', `This takes ${segments} SMS segments, each paid for${android}. ${advice}`)]
}

/** The SMS as it is sent, with a code of the app's length and the most minutes a code can live. */
function longestSms({ template, appName, codeLength, autofill }: LintRequest): string {
  const code = '0'.repeat(codeLength)
  const text = fill(template.text, { code, app: nameAsValue(appName), minutes: longestMinutes })
  return withAutofillLine(text, code, autofill)
}
