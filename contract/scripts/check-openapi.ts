/** Checks `docs/openapi.json` as others will read it: a linter finds nothing, and a generated client compiles. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = readFileSync(join(root, 'docs/openapi.json'), 'utf8')

/** Rules beside the recommended ones, against what code generators and readers of a client stumble over. */
const rules = {
  'operation-description': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-summary': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'operation-4xx-response': 'error',
  'operation-4xx-problem-details-rfc7807': 'off',
  'tag-description': 'error',
  'parameter-description': 'error',
  'no-unused-components': 'error',
  'no-duplicated-tag-names': 'error',
  'no-ambiguous-paths': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-required-schema-properties-undefined': 'error',
  'no-schema-type-mismatch': 'error',
  'array-parameter-serialization': 'error',
  'path-http-verbs-order': 'off',
  'request-mime-type': { severity: 'error', allowedValues: ['application/json'] },
  'response-mime-type': { severity: 'error', allowedValues: ['application/json', 'text/csv'] },
} as const

async function lint(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules })
  const problems = await lintFromString({ source, absoluteRef: join(root, 'docs/openapi.json'), config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? 'the document'})`,
  )
}

/** A program that a customer could have written, against types made from the document. */
async function compile(): Promise<string> {
  const folder = mkdtempSync(join(root, 'node_modules/.countersign-client-'))
  try {
    // Without `defaultNonNullable: false`, openapi-typescript makes settings with a default required.
    const types = await openapiTS(source, { defaultNonNullable: false, exportType: true })
    writeFileSync(join(folder, 'api.ts'), astToString(types))
    writeFileSync(join(folder, 'program.ts'), readFileSync(join(root, 'contract/scripts/client-program.ts')))
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...options,
        '--ignoreConfig',
        '--singleThreaded',
        '--skipLibCheck',
        '--allowImportingTsExtensions',
        join(folder, 'program.ts'),
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    return status === 0 ? '' : `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const problems = await lint()
const errors = problems.length > 0 ? problems.join('\n') : await compile()
if (errors !== '') {
  console.error(errors)
  process.exit(1)
}
