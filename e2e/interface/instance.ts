/**
 * The instance that the interface is tested on. `npm test` starts one, with the simulator. With BASE_URL it is one that
 * is already running; CONTRIBUTING.md has the command and every variable. There a test is skipped if the environment
 * lacks something that it needs.
 */
import assert from 'node:assert/strict'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useService } from '../harness/service.ts'
import { type Simulator, simulatorAt } from '../harness/simulator.ts'

export interface Instance {
  readonly url: string
  readonly simulator: Simulator
  /** Empty if it is not known; tests that need it are then skipped. */
  readonly adminToken: string
  readonly givenKeys: { readonly server: string; readonly publishable: string }
  /** Adds an address to the list of abusive ones; it counts once the instance has read the list. */
  readonly listAsAbusive: (address: string) => Promise<void>
}

const env = process.env
const baseUrl = env.BASE_URL ? env.BASE_URL.replace(/\/+$/, '') : undefined

export type ListedAs = 'abusive' | 'vpn' | 'proxy' | 'tor' | 'datacenter'

/** One address on each list of the instance that `npm test` starts. Any public addresses would do. */
const listedHere: Readonly<Record<ListedAs, string>> = {
  abusive: '45.155.205.9',
  vpn: '45.155.205.17',
  proxy: '45.155.205.33',
  tor: '45.155.205.65',
  datacenter: '45.155.205.129',
}
const listedThere: Readonly<Record<ListedAs, string | undefined>> = {
  abusive: env.ABUSIVE_IP,
  vpn: env.VPN_IP,
  proxy: env.PROXY_IP,
  tor: env.TOR_IP,
  datacenter: env.DATACENTER_IP,
}

/** An address that the instance has on this list. */
export function addressListedAs(kind: ListedAs): string {
  const address = baseUrl === undefined ? listedHere[kind] : listedThere[kind]
  assert.ok(address, `no address is known to be listed as ${kind}`)
  return address
}

/**
 * `app`: any app. `device`: an app that also has a publishable key. `settings`: an app with chosen settings. `people`:
 * the simulator. `receiver`: an app whose events can reach this machine. `lists`: IP lists that the test may change.
 */
type Need = 'app' | 'device' | 'settings' | 'people' | 'receiver' | 'lists' | ListedAs

const isThisMachine = () =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl ?? '').hostname.toLowerCase())

const missing: Readonly<Record<Need, () => string | false>> = {
  app: () => !env.ADMIN_TOKEN && !env.SERVER_KEY && 'SERVER_KEY or ADMIN_TOKEN',
  device: () =>
    !env.ADMIN_TOKEN &&
    !(env.SERVER_KEY && env.PUBLISHABLE_KEY) &&
    'SERVER_KEY and PUBLISHABLE_KEY, or ADMIN_TOKEN',
  settings: () => !env.ADMIN_TOKEN && 'ADMIN_TOKEN',
  people: () => !env.SIMULATOR_URL && 'SIMULATOR_URL',
  receiver: () =>
    (!env.ADMIN_TOKEN && 'ADMIN_TOKEN') ||
    (!isThisMachine() && 'a BASE_URL on this machine, to be called back'),
  lists: () => 'lists of addresses that it may change, as npm test has them',
  abusive: () => !env.ABUSIVE_IP && 'ABUSIVE_IP',
  vpn: () => !env.VPN_IP && 'VPN_IP',
  proxy: () => !env.PROXY_IP && 'PROXY_IP',
  tor: () => !env.TOR_IP && 'TOR_IP',
  datacenter: () => !env.DATACENTER_IP && 'DATACENTER_IP',
}

/** Options of a test: it is skipped only if it runs against a given instance and the environment lacks something. */
export function needs(...wanted: readonly Need[]): { readonly skip: string | false } {
  if (baseUrl === undefined) return { skip: false }
  const lacking = new Set(wanted.map((need) => missing[need]()).filter((reason) => reason !== false))
  return { skip: lacking.size > 0 && `needs ${[...lacking].join(' and ')}` }
}

export function useInstance(): () => Instance {
  return baseUrl === undefined ? useStarted() : () => runningAt(baseUrl)
}

const runningAt = (url: string): Instance => ({
  url,
  simulator: simulatorAt(env.SIMULATOR_URL?.replace(/\/+$/, '') ?? ''),
  adminToken: env.ADMIN_TOKEN ?? '',
  givenKeys: { server: env.SERVER_KEY ?? '', publishable: env.PUBLISHABLE_KEY ?? '' },
  listAsAbusive: () => assert.fail('the lists of a running instance are not ours'),
})

/** One function for every file of a process, so that all of them share an instance. */
const withLists = async (dataDir: string) => ({ IP_SOURCES: await writeLists(listsIn(dataDir)) })
const listsIn = (dataDir: string) => join(dataDir, 'tried-lists')

function useStarted(): () => Instance {
  const service = useService(withLists)
  return () => {
    const { running, simulator } = service()
    const { server_key: server, publishable_key: publishable } = running.firstApp
    const { url, adminToken, dataDir } = running
    const abusive = join(listsIn(dataDir), 'abusive.txt')
    const listAsAbusive = (address: string) => appendFile(abusive, `${address}\n`)
    return { url, simulator, adminToken, givenKeys: { server, publishable }, listAsAbusive }
  }
}

async function writeLists(folder: string): Promise<string> {
  await mkdir(folder)
  const sources = Object.entries(listedHere).map(async ([kind, address]) => {
    const path = join(folder, `${kind}.txt`)
    await writeFile(path, `${address}\n`)
    return { path, class: kind === 'datacenter' ? 'hosting' : kind }
  })
  const path = join(folder, 'sources.json')
  await writeFile(path, JSON.stringify(await Promise.all(sources)))
  return path
}
