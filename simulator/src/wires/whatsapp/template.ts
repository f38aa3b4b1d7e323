import { isRecord } from '../../http/fields.ts'
import { type GraphError, graphError } from './graph-error.ts'

const MAX_CODE_CHARACTERS = 15

/** An authentication template carries its code twice: in the body and in the button. */
export function readTemplateCode(template: unknown): string | GraphError {
  if (!isRecord(template) || typeof template.name !== 'string' || template.name === '') {
    return graphError(400, 131008, 'Required parameter is missing', 'template.name is missing')
  }
  if (!isRecord(template.language) || typeof template.language.code !== 'string') {
    return graphError(400, 131008, 'Required parameter is missing', 'template.language.code is missing')
  }
  const components = Array.isArray(template.components) ? template.components.filter(isRecord) : []
  const body = components.find((component) => component.type === 'body')
  const button = components.find(
    (component) =>
      component.type === 'button' && component.sub_type === 'url' && String(component.index) === '0',
  )
  const code = readOnlyText(body?.parameters)
  const buttonCode = readOnlyText(button?.parameters)
  if (code === null || buttonCode === null) {
    const place = code === null ? 'body' : 'button 0'
    return graphError(
      400,
      132000,
      'Number of parameters does not match',
      `${place} must have one text parameter`,
    )
  }
  if (code !== buttonCode) {
    return graphError(
      400,
      132012,
      'Parameter format does not match',
      'body and button must carry the same code',
    )
  }
  if (code.length > MAX_CODE_CHARACTERS) {
    return graphError(
      400,
      132005,
      'Translated text too long',
      `a code has at most ${MAX_CODE_CHARACTERS} characters`,
    )
  }
  return code
}

function readOnlyText(parameters: unknown): string | null {
  if (!Array.isArray(parameters) || parameters.length !== 1) return null
  const parameter: unknown = parameters[0]
  if (!isRecord(parameter) || parameter.type !== 'text' || typeof parameter.text !== 'string') return null
  return parameter.text === '' ? null : parameter.text
}
