/** Imports point one way. Each rule lists what a folder may import, and nothing else is allowed. */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { filesUnder, root } from './prepare.mjs'

/** From the outside in: a layer may import itself and those after it. */
const layers = [
  'main',
  'processes',
  'service',
  'sandbox',
  'app',
  'http',
  'worker',
  'domain',
  'channels',
  'platform',
]
const leaves = ['config']
/** Left to right only, and only through a module's index. */
const domain = [
  'members',
  'alerts',
  'insight',
  'verification',
  'delivery',
  'webhooks',
  'billing',
  'routing',
  'guard',
  'tenancy',
  'messages',
  'answers',
]
const source = join(root, 'server/src')

const sourcesUnder = (folder) =>
  filesUnder(folder).filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.endsWith('.test.ts'))

const importsOf = (path) =>
  [
    ...readFileSync(path, 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\b[\w\s*,]*?(?:\{[^}]*\}\s*)?from\s+['"]([^'"]+)['"]/g,
    ),
  ].map(([, name]) => name)

const layerOf = (path) => {
  const [first = ''] = relative(source, path).split('/')
  return first.replace(/\.ts$/, '').replace(/^cli$/, 'main')
}
const moduleOf = (path) =>
  layerOf(path) === 'domain' ? (relative(source, path).split('/')[1] ?? null) : null

function problemOf(from, to) {
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
  if (leaves.includes(toLayer)) return null
  if (leaves.includes(fromLayer) && toLayer !== 'platform') return `${fromLayer} is a leaf`
  if (layers.indexOf(toLayer) < 0) return `${toLayer} is in no layer`
  if (layers.indexOf(toLayer) < layers.indexOf(fromLayer)) return `${fromLayer} may not import ${toLayer}`
  const [fromModule, toModule] = [moduleOf(from), moduleOf(to)]
  if (!toModule || fromModule === toModule) return null
  if (!to.endsWith('/index.ts')) return `${toModule} is entered through its index.ts`
  if (fromModule && domain.indexOf(toModule) < domain.indexOf(fromModule))
    return `${fromModule} may not import ${toModule}`
  return null
}

/** Stores, what they make their statements of, the database itself, and the doctor who looks into it. */
const mayAsk = /^platform\/|^cli\/|(store|-statement)\.ts$/

const problems = []
for (const path of sourcesUnder(source)) {
  if (!mayAsk.test(relative(source, path)) && /\.query[<(]/.test(readFileSync(path, 'utf8')))
    problems.push(`${relative(root, path)}: asks the database, which is for a store`)
  for (const name of importsOf(path)) {
    if (!name.startsWith('.')) continue
    const problem = problemOf(path, normalize(join(dirname(path), name)))
    if (problem) problems.push(`${relative(root, path)}: ${problem} (${name})`)
  }
}
const outsiders = [
  ['contract/src', /^(zod$|\.)/],
  ['simulator/src', /^(?!@countersign\/|\.\.\/\.\.\/(server|contract))/],
  ['sdks/node/src', /^\.\//],
  ['sdks/web/src', /^\.\//],
  ['sdks/react/src', /^(\.\/|react$|@countersign\/web$)/],
]
for (const [folder, allowed] of outsiders) {
  for (const path of sourcesUnder(join(root, folder))) {
    for (const name of importsOf(path)) {
      if (!allowed.test(name) && !name.startsWith('node:'))
        problems.push(`${relative(root, path)}: may not import ${name}`)
    }
  }
}
/** What pages load of the contract at run time; it must not bring zod along. */
const sentences = '@countersign/contract/words'
/** The schemas that forms are checked with: they bring zod along, so only pages with a form may load them. */
const bodies = '@countersign/contract/bodies'
const sentenceFiles = sourcesUnder(join(root, 'contract/src/sentences'))
for (const file of sentenceFiles) {
  for (const name of importsOf(file)) {
    const isSentence = sentenceFiles.includes(normalize(join(dirname(file), name)))
    if (!isSentence && !isTypeImport(file, name))
      problems.push(`${relative(root, file)}: may import only the type of ${name}`)
  }
}
problems.push(...dashboardProblems(), ...featureProblems())
const others = [
  'server/src',
  'server/test',
  'server/scripts',
  'dashboard/src',
  'contract/scripts',
  'simulator/test',
]
const everywhere = [...others, 'site/src', 'e2e', 'bench', 'scripts', ...outsiders.map(([name]) => name)]
problems.push(...circlesIn(everywhere.flatMap((folder) => sourcesUnder(join(root, folder)))))

/**
 * Files that import each other, even if only for types. They should be one file, or share a third. Each cycle is reported
 * once.
 */
function circlesIn(all) {
  const files = new Set(all)
  const seen = new Set()
  const circles = []
  const follow = (file, way) => {
    if (way.includes(file)) {
      const circle = [...way.slice(way.indexOf(file)), file]
      circles.push(`a circle of imports: ${circle.map((path) => relative(root, path)).join(' → ')}`)
    }
    if (seen.has(file)) return
    seen.add(file)
    for (const name of importsOf(file)) {
      const target = fileNamed(file, name)
      if (files.has(target)) follow(target, [...way, file])
    }
  }
  for (const file of files) follow(file, [])
  return circles
}

/** The dashboard imports `lib` and `components` by names that begin with `#`. */
function fileNamed(from, name) {
  return name.startsWith('#')
    ? join(root, 'dashboard/src', name.slice(1))
    : normalize(join(dirname(from), name))
}

/** Pages: `lib` and `components` know no feature, a feature knows no other, `app` knows all; only types cross over. */
function dashboardProblems() {
  const pages = join(root, 'dashboard/src')
  const roomOf = (path) => relative(pages, path).split('/')
  return sourcesUnder(pages).flatMap((path) =>
    importsOf(path).flatMap((name) => {
      const [from, feature] = roomOf(path)
      const [to, other] = name.startsWith('#')
        ? name.slice(1).split('/')
        : name.startsWith('.')
          ? roomOf(normalize(join(dirname(path), name)))
          : [name]
      const isWrong =
        to === '..' ||
        (to === 'app' && !['app', 'main.tsx'].includes(from)) ||
        (to === 'features' && from !== 'app' && !(from === 'features' && other === feature)) ||
        (to === 'components' && from === 'lib') ||
        (/^(@countersign|zod)/.test(to) && ![sentences, bodies].includes(to) && !isTypeImport(path, name))
      return isWrong ? [`${relative(root, path)}: may not import ${name}`] : []
    }),
  )
}

/** Every feature has a page, its search parameters and three folders; only `api` calls the service. */
function featureProblems() {
  const features = join(root, 'dashboard/src/features')
  const shapes = [
    /^[a-z-]+-page\.tsx$/,
    /^search\.ts$/,
    /^(api|lib)\/[a-z-]+\.ts$/,
    /^components\/([a-z-]+\/)?[a-z-]+\.tsx$/,
  ]
  const calls = ['#lib/queries.ts', '#lib/use-change.ts']
  return sourcesUnder(features).flatMap((path) => {
    const name = relative(features, path).replace(/^[^/]+\//, '')
    const shape = shapes.some((one) => one.test(name)) ? [] : ['has no place in a feature']
    const called = name.startsWith('api/') ? [] : importsOf(path).filter((one) => calls.includes(one))
    return [...shape, ...called.map((one) => `may not import ${one}: that is for api`)].map(
      (problem) => `${relative(root, path)}: ${problem}`,
    )
  })
}

function isTypeImport(path, name) {
  const lines = readFileSync(path, 'utf8').matchAll(/import\s+(type\s)?[^;'"]*?from\s+['"]([^'"]+)['"]/g)
  return [...lines].every(([, type, from]) => from !== name || type)
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
