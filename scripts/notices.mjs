/** The notices that licences ask to be kept with code of theirs, of every package that is inside a bundle. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/** From what esbuild says of the files that it has read. */
export function noticesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap((file) => packageFolder.exec(file)?.[0] ?? [])
  return [...new Set(folders)].sort().map(noticeOf).join('\n\n')
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  return [`== ${name} ${version} (${license})`, ...texts].join('\n\n')
}
