/** Which Chromium the tests run in: an installed one, otherwise the one from npm. */
import { execFile } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface Program {
  readonly path: string
  readonly environment: NodeJS.ProcessEnv
}

const names = ['chromium', 'chromium-browser', 'google-chrome']
const installedOnMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

export async function findChromium(environment = process.env): Promise<Program> {
  if (environment.CHROMIUM) return { path: environment.CHROMIUM, environment }
  const folders = (environment.PATH ?? '').split(delimiter)
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  for (const path of [...places, installedOnMac]) if (await canRun(path)) return { path, environment }
  return chromiumFromNpm(environment)
}

const canRun = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Unpacked only once, and atomically: if another process renames its copy first, this one is thrown away. */
export async function chromiumFromNpm(environment = process.env, folder = cache): Promise<Program> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('npm has no Chromium for this machine: install one, or name it in CHROMIUM')
  }
  const source = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { version } = JSON.parse(await readFile(join(dirname(source), '../../package.json'), 'utf8'))
  const home = join(folder, `chromium-${version}`)
  if (!(await canRun(join(home, 'chromium')))) await unpack(source, folder, home)
  const libraries = [join(home, 'al2023/lib'), environment.LD_LIBRARY_PATH].filter(Boolean).join(delimiter)
  const fonts = { FONTCONFIG_FILE: join(home, 'fonts.conf') }
  return {
    path: join(home, 'chromium'),
    environment: { ...environment, ...fonts, LD_LIBRARY_PATH: libraries },
  }
}

async function unpack(source: string, folder: string, home: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const staging = await mkdtemp(join(folder, 'unpacking-'))
  // The package unpacks into the temporary folder, and includes its libraries only if it finds itself in a Lambda.
  const environment = { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  const script = 'require(process.argv[1]).executablePath()'
  try {
    await promisify(execFile)(process.execPath, ['-e', script, source], { env: environment })
    await writeFile(join(staging, 'fonts.conf'), fontsOf(home))
    await rename(staging, home)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    if (!(await canRun(join(home, 'chromium')))) throw error
  }
}

const fontsOf = (home: string) => `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`
