/** What is wrong with an app's languages: its own texts must pass the linter, its default must have texts. */
import type { AppSettings, FieldProblem } from '@countersign/contract'
import { autofillOf, lintTemplate, shippedLocales } from '../messages/index.ts'

export function languageProblems(appName: string, settings: AppSettings): FieldProblem[] {
  const { messages, default_locale: locale } = settings
  const uploaded = Object.values(messages).flatMap((byLocale) => Object.keys(byLocale))
  const problems = templateProblems(appName, settings)
  if (shippedLocales.includes(locale) || uploaded.includes(locale)) return problems
  const message = `is neither shipped nor uploaded; shipped are ${shippedLocales.join(', ')}`
  return [...problems, { path: 'default_locale', message }]
}

function templateProblems(appName: string, { messages, autofill, code_length }: AppSettings): FieldProblem[] {
  const common = { appName, codeLength: code_length, autofill: autofillOf(autofill) }
  const results = [
    ...Object.entries(messages.sms).map(([locale, template]) => ({
      path: `messages.sms.${locale}`,
      result: lintTemplate({ ...common, channel: 'sms', locale, template }),
    })),
    ...Object.entries(messages.whatsapp).map(([locale, template]) => ({
      path: `messages.whatsapp.${locale}`,
      result: lintTemplate({ ...common, channel: 'whatsapp', locale, template }),
    })),
    ...Object.entries(messages.email).map(([locale, template]) => ({
      path: `messages.email.${locale}`,
      result: lintTemplate({ ...common, channel: 'email', locale, template }),
    })),
  ]
  return results.flatMap(({ path, result }) =>
    result.problems
      .filter((problem) => problem.level === 'error')
      .map((problem) => ({ path: `${path}.${problem.path}`, message: problem.message })),
  )
}
