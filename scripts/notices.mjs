/** The licence notices of every package inside a bundle, which have to be kept with its code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/** From esbuild's list of the files that it has read. */
export function noticesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap((file) => packageFolder.exec(file)?.[0] ?? [])
  const data = Object.keys(inputs).filter((file) => file.endsWith('/carrier-table.ts'))
  return [...[...new Set(folders)].sort().map(noticeOf), ...data.map(noticeOfData)].join('\n\n')
}

/** A source file with data of others says in its first comment whose it is; the licence is that of this package. */
function noticeOfData(file) {
  const head = readFileSync(join(root, file), 'utf8').split('*/')[0] ?? ''
  const text = head
    .split('\n')
    .map((line) => line.replace(/^\/?\s?\*+ ?/, ''))
    .join('\n')
  return `== carrier data of libphonenumber (Apache-2.0)\n\n${text.trim()}`
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  return [`== ${name} ${version} (${license})`, ...texts].join('\n\n')
}
